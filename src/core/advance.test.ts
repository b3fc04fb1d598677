import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { taskLoop } from '../loops/task/index.ts'
import { configOf } from '../testing/state-builder.ts'
import { advance } from './advance.ts'
import { memoizedDefinition } from './definition.ts'
import type { Effect } from './effect.ts'
import type { Event, Fact } from './event.ts'
import { evolve, evolveAll } from '../loops/evolve.ts'
import { budget, circuitBreaker, guardFrom, maxIterations, sameFailure } from '../guards/index.ts'
import type { State } from './state.ts'

const loop = taskLoop({ goal: 'g' })
const definition = memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) })
const guards = [
  maxIterations(6),
  budget({ costUsdMax: 20, durationMsMax: 50_000 }),
  circuitBreaker({ failuresMax: 3 }),
  sameFailure({ repeatsMin: 2 }),
]
const config = { ...configOf(guards.map((guard) => guard.spec)), loop: loop.spec }

/** What may happen to an effect, as numbers a generator can choose and shrink. */
interface Luck {
  readonly pick: number
  readonly fate: number
  readonly delayMs: number
}

const luck = fc.record({ pick: fc.nat(3), fate: fc.nat(11), delayMs: fc.nat(5000) })

/** Plays a whole run: whatever is asked for happens in some way; people answer, waive, abort and processes come and go. */
function play(lucks: readonly Luck[]): { events: Event[]; state: State; asked: string[][] } {
  const events: Event[] = []
  const asked: string[][] = []
  let at = 1000
  let result = advance(definition, 'r', undefined, [{ type: 'run.started', at, by: { role: 'runner' }, data: { config } }])
  events.push(...result.append)
  for (const { pick, fate, delayMs } of lucks) {
    at += delayMs
    const fact = factFor(result, pick, fate, at)
    if (!fact) break
    asked.push(result.step.kind === 'perform' ? result.step.effects.map((effect) => effect.key) : [result.step.kind])
    result = advance(definition, 'r', result.state, [fact])
    events.push(...result.append)
  }
  return { events, state: result.state, asked }
}

function factFor({ step, state }: ReturnType<typeof advance>, pick: number, fate: number, at: number): Fact | undefined {
  const person = { role: 'person' } as const
  if (step.kind === 'wait' && step.for === 'timer')
    return {
      type: 'timer.fired',
      at: Math.max(at, step.until ?? 0),
      by: { role: 'runner' },
      data: { timer: state.timer?.timer ?? '' },
    }
  if (step.kind === 'wait' || (step.kind === 'end' && state.status === 'stopped' && fate > 3)) {
    const choice = state.question?.question.options[pick]?.choice ?? 'nonsense'
    return { type: 'escalation.answered', at, by: person, data: { choice, note: 'n' } }
  }
  if (step.kind !== 'perform') return undefined
  if (fate === 11)
    return {
      type: 'run.resumed',
      at,
      by: { role: 'runner' },
      data: { holder: { pid: 1, startedAt: '', host: '' }, reason: 'again' },
    }
  if (fate === 10)
    return { type: 'guard.waived', at, by: person, data: { guard: ['maxIterations', 'circuitBreaker', 'budget'][pick] ?? 'x' } }
  const effect = step.effects[pick % step.effects.length] as Effect
  return effectFact(effect, fate, at)
}

function effectFact(effect: Effect, fate: number, at: number): Fact {
  const { key } = effect
  const text = { sha256: '', bytes: 0 }
  switch (effect.kind) {
    case 'commit':
      return { type: 'commit.created', at, by: { role: 'workspace' }, data: { key, item: effect.item, branch: effect.branch } }
    case 'phrase':
      return { type: 'question.phrased', at, by: { role: 'agent' }, data: { key, text: 'Better words?' } }
    case 'answer':
      return {
        type: 'answer.refused',
        at,
        by: { role: 'runner' },
        data: { key, work: effect.work, form: effect.form, errors: [] },
      }
    case 'examine':
      return {
        type: 'coverage.estimated',
        at,
        by: { role: 'runner' },
        data: { key, iteration: effect.iteration, terms: [], files: [], filesTotal: 0 },
      }
    case 'work':
      if (fate === 0) return { type: 'work.abandoned', at, by: { role: 'runner' }, data: { key, reason: 'crash' } }
      if (fate === 1)
        return {
          type: 'work.failed',
          at,
          by: { role: 'agent' },
          data: { key, reason: 'failed', fault: 'provider-limit', message: 'm', durationMs: 1 },
        }
      if (fate === 2)
        return {
          type: 'work.failed',
          at,
          by: { role: 'agent' },
          data: { key, reason: 'failed', fault: 'environment', message: 'm', durationMs: 1 },
        }
      if (fate === 3)
        return {
          type: 'work.started',
          at,
          by: { role: 'agent' },
          data: { key, iteration: effect.iteration, role: effect.role, brief: text },
        }
      if (fate === 4)
        return {
          type: 'work.failed',
          at,
          by: { role: 'agent' },
          data: { key, reason: 'timed-out', fault: 'agent', message: 'm', durationMs: 1 },
        }
      return { type: 'work.finished', at, by: { role: 'agent' }, data: { key, durationMs: 1, costUsd: fate, tokens: 5 } }
    case 'check': {
      if (fate === 2)
        return {
          type: 'check.errored',
          at,
          by: { role: 'check' },
          data: { key, name: 'tests', fault: 'config', message: 'm', durationMs: 1 },
        }
      const check = { key, name: 'tests', tree: effect.tree, durationMs: 1 }
      if (fate === 3) return { type: 'check.passed', at, by: { role: 'check' }, data: { ...check, failures: [] } }
      return {
        type: 'check.failed',
        at,
        by: { role: 'check' },
        data: { ...check, failures: [{ id: `t${fate % 3}`, message: 'm', kind: 'assertion' }] },
      }
    }
    case 'observe': {
      const seen = { key, tree: `tree ${at}`, snapshot: `s${at}`, files: [], filesChanged: 1, insertions: 0, deletions: 0 }
      return { type: 'workspace.observed', at, by: { role: effect.by === 'person' ? 'person' : 'workspace' }, data: seen }
    }
    case 'prove': {
      const proof = {
        level: fate === 3 ? 'unproven' : 'red-to-green',
        start: 't',
        tree: effect.tree,
        cells: [],
        turned: [],
      } as const
      const findings = fate === 2 ? [{ code: 'old-tests-fail' as const, check: 'tests', tests: ['t1'], count: 1 }] : []
      const data = { key, ...proof, changedTests: [], changedTestsCount: 0, findings, durationMs: 1 }
      return { type: 'proof.made', at, by: { role: 'runner' }, data }
    }
    case 'restore':
      return { type: 'workspace.restored', at, by: { role: 'workspace' }, data: { key, tree: 't' } }
    default:
      throw new Error(`Nobody asks for ${key}.`)
  }
}

const runs = fc.array(luck, { maxLength: 120 })

describe('any run at all', () => {
  it('CORE-1 folding in two pieces, or through JSON, is folding at once', () => {
    fc.assert(
      fc.property(runs, fc.nat(), (lucks, cut) => {
        const { events, state } = play(lucks)
        const at = cut % (events.length + 1)
        const halfway = evolveAll(undefined, events.slice(0, at))
        const cached = halfway && (JSON.parse(JSON.stringify(halfway)) as State)
        expect(evolveAll(cached, events.slice(at))).toEqual(JSON.parse(JSON.stringify(state)))
      }),
      { numRuns: 300, seed: 1 },
    )
  })

  it('CORE-2 a key that finished is never asked for again', () => {
    fc.assert(
      fc.property(runs, (lucks) => {
        const { events } = play(lucks)
        const ended = events.filter((event) =>
          ['work.finished', 'check.passed', 'check.failed', 'workspace.observed', 'workspace.restored'].includes(event.type),
        )
        const keys = ended.map((event) => (event.data as { key: string }).key)
        expect(new Set(keys).size).toBe(keys.length)
      }),
      { numRuns: 300, seed: 2 },
    )
  })

  it('CORE-3 iterations are counted one by one, each is ended once, and every decision rests on facts that precede it', () => {
    fc.assert(
      fc.property(runs, (lucks) => {
        const { events } = play(lucks)
        const started = events.flatMap((event) => (event.type === 'iteration.started' ? [event.data.iteration] : []))
        expect(started).toEqual(started.map((_, index) => index + 1))
        const ended = events.flatMap((event) => (event.type === 'iteration.ended' ? [event.data.iteration] : []))
        expect(ended).toEqual([...new Set(ended)])
        for (const event of events) {
          if (event.type !== 'decision.made') continue
          expect(event.data.basis.length).toBeGreaterThan(0)
          expect(event.data.basis.every((seq) => seq < event.seq && events[seq - 1]?.seq === seq)).toBe(true)
        }
      }),
      { numRuns: 300, seed: 3 },
    )
  })

  it('CORE-4 a run is completed only on a passing check of the very tree, or when a person says so', () => {
    fc.assert(
      fc.property(runs, (lucks) => {
        const { events } = play(lucks)
        const end = events.at(-1)
        if (end?.type !== 'run.completed') return
        const isAccepted = events.some((event) => event.type === 'escalation.answered' && event.data.choice === 'accept')
        const check = events.findLast((event) => event.type === 'check.passed')
        const tree = events.findLast((event) => event.type === 'workspace.observed')
        const proof = events.findLast((event) => event.type === 'proof.made')
        const isProven = proof?.type === 'proof.made' && proof.data.findings.length === 0 && proof.data.level === 'red-to-green'
        expect(
          isAccepted ||
            (check?.type === 'check.passed' &&
              tree?.type === 'workspace.observed' &&
              check.data.tree === tree.data.tree &&
              isProven &&
              proof.data.tree === tree.data.tree),
        ).toBe(true)
      }),
      { numRuns: 500, seed: 4 },
    )
  })

  it('CORE-263 an iteration that is held open never ends, and letting it go later comes to the same events', () => {
    fc.assert(
      fc.property(runs, (lucks) => {
        const { events } = play(lucks)
        for (const [index, { seq: _seq, run, v: _v, ...fact }] of events.entries()) {
          if (fact.by.role === 'loop' || fact.by.role === 'guard' || index === 0) continue
          const before = evolveAll(undefined, events.slice(0, index))
          const held = advance(definition, run, before, [fact as Fact], { hold: true })
          const later = advance(definition, run, held.state, [])
          expect(held.append.some(({ type }) => type === 'iteration.ended')).toBe(false)
          expect([...held.append, ...later.append]).toEqual(advance(definition, run, before, [fact as Fact]).append)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('CORE-5 the state stays small however long the run is', () => {
    const play100 = play(Array.from({ length: 400 }, (_, index) => ({ pick: 0, fate: 5 + (index % 4), delayMs: 1 })))
    const size = JSON.stringify(play100.state).length
    expect(size).toBeLessThan(40_000)
  })

  it('CORE-6 refuses a journal that does not begin with its start', () => {
    const event = {
      seq: 1,
      run: 'r',
      v: 1,
      at: 0,
      by: { role: 'loop' },
      type: 'iteration.started',
      data: { iteration: 1 },
    } as const
    expect(() => evolve(undefined, event)).toThrow('begins with iteration.started instead of run.started')
  })
})
