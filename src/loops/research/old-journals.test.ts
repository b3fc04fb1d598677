import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { advance } from '../../core/advance.ts'
import { memoizedDefinition } from '../../core/definition.ts'
import type { Event } from '../../core/event.ts'
import { recordedSettings } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { guardFrom } from '../../guards/index.ts'
import { verifyChain } from '../../journal/hash-chain.ts'
import { upcast } from '../../journal/upcast.ts'
import type { SealedEvent } from '../../stores/store.ts'
import { evolve } from '../evolve.ts'
import { researchLoop } from './loop.ts'
import { markdownReport } from './report.ts'
import { htmlReport } from './report-html.ts'
import { researchResult } from './result.ts'

/** Journals of research from before findings were judged. */
const FOLDER = join(import.meta.dirname, '../../../test/fixtures/journals')
const definition = memoizedDefinition({
  loop: ({ settings }) => researchLoop(recordedSettings(settings)),
  guard: (spec) => guardFrom(spec),
})

describe.each(readdirSync(FOLDER))('RES-135 %s', (name) => {
  const sealed = readFileSync(join(FOLDER, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SealedEvent)
  const events = sealed.map((event) => upcast(event) as Event)

  it('verifies, folds and shows what was recorded', () => {
    expect(verifyChain(sealed)).toMatchObject({ ok: true })
    const state = events.reduce<State | undefined>(evolve, undefined) as State
    const result = researchResult(state)
    const last = events.findLast((event) => event.type === 'convergence.measured')
    expect(result.convergences.at(-1)).toEqual(last?.data)
    expect(result.confidence).toBe(last?.data.confidence)
    expect(result.findings.length).toBeGreaterThan(0)
    expect(markdownReport(result)).toContain('## Answers')
    expect(htmlReport(result)).toContain('</html>')
  })

  it('continues from every event, and waits or asks for work as today’s rules say', () => {
    let state: State | undefined
    const kinds = events.map((event) => {
      state = evolve(state, event)
      return advance(definition, event.run, state, []).step.kind
    })
    expect(kinds.at(-1)).toBe('end')
    expect(kinds.slice(0, -1).filter((kind) => kind === 'perform').length).toBeGreaterThan(5)
  })

  it('takes an answer if it waits for one', () => {
    const asked = events.findIndex((event) => event.type === 'escalation.raised')
    const answered = events.findIndex((event) => event.type === 'escalation.answered')
    const until = events.slice(0, asked < 0 ? events.length : asked + 1)
    const state = until.reduce<State | undefined>(evolve, undefined) as State
    expect(state.status === 'escalated' || state.status === 'completed').toBe(true)
    const { seq: _seq, run, v: _v, ...fact } = events[answered] ?? (events.at(-1) as Event)
    const { step } = advance(definition, run, state, answered < 0 ? [] : [fact as never])
    expect(step.kind).toBe(answered < 0 ? 'end' : 'perform')
  })
})
