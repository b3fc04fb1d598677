import { FALSE_ALARM } from '../src/core/question.ts'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { advance } from '../src/core/advance.ts'
import { memoizedDefinition } from '../src/core/definition.ts'
import type { Event, Fact } from '../src/core/event.ts'
import { guardFrom } from '../src/guards/index.ts'
import { recordedSettings } from '../src/core/run-config.ts'
import type { State } from '../src/core/state.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { verifyChain } from '../src/journal/hash-chain.ts'
import { upcast } from '../src/journal/upcast.ts'
import { ralphLoop } from '../src/loops/ralph/index.ts'
import { researchLoop } from '../src/loops/research/loop.ts'
import { reviewLoop } from '../src/loops/review/index.ts'
import { taskLoop } from '../src/loops/task/index.ts'
import type { SealedEvent } from '../src/stores/store.ts'
import { simulate } from '../src/testing/simulation.ts'
import { researchScenarios, scenarios } from './scenarios.ts'

/** Journals written once and never again: set `PAWL_WRITE_GOLDEN=1` to write those that are missing. */
const folder = join(import.meta.dirname, 'golden')
const LOOPS = { task: taskLoop, ralph: ralphLoop, review: reviewLoop, research: researchLoop }
const definition = memoizedDefinition({
  loop: ({ name, settings }) => LOOPS[name as keyof typeof LOOPS](recordedSettings(settings)),
  guard: (spec) => guardFrom(spec),
})

describe.each(Object.entries({ ...scenarios, ...researchScenarios }))('golden journal: %s', (name, scenario) => {
  const path = join(folder, `${name.replaceAll(/\W+/g, '-')}.jsonl`)

  it('CORE-7 replays to the same conclusions for ever, and its chain still holds', async () => {
    if (!existsSync(path) && process.env['PAWL_WRITE_GOLDEN'] === '1') {
      const { events } = await simulate(scenario, (isAlive) => memoryStore({ isAlive }), [])
      writeFileSync(path, `${events.map((event) => JSON.stringify(event)).join('\n')}\n`)
    }
    const stored = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as SealedEvent)
    expect(verifyChain(stored)).toMatchObject({ ok: true, seq: stored.length })
    const events = stored.map((event) => withoutHash(upcast(event)))
    expect(withoutWords(replayed(events))).toEqual(withoutWords(events))
  })
})

/** Feeds the facts of drivers and people to `advance`, one at a time; what it concludes must be what was concluded then. */
function replayed(events: readonly Event[]): readonly Event[] {
  const appended: Event[] = []
  let state: State | undefined
  while (appended.length < events.length) {
    const { seq: _seq, run, v: _v, ...fact } = events[appended.length] as Event
    const result = advance(definition, run, state, [fact as Fact])
    appended.push(...result.append)
    state = result.state
  }
  return appended
}

function withoutHash({ hash: _hash, ...event }: SealedEvent): Event {
  return event as Event
}

/** The reasons of `agent.switched` are codes; those of other conclusions are sentences. */
const SWITCH_REASONS: ReadonlySet<unknown> = new Set(['provider-limit', 'unavailable', 'limit-over'])

/** Sentences may be written better one day; what they say may not change. Nor may an option go, but people may be offered more. */
function withoutWords(events: readonly Event[]): unknown {
  const words = new Set([
    'message',
    'hint',
    'label',
    'text',
    'pattern',
    'attempts',
    'feedback',
    'steps',
    'then',
    'guidance',
    'diff',
    'description',
    'focus',
    'why',
    'rootCause',
    'notes',
    // Sentences as data, and the kind of a question: journals did not have them before.
    'says',
    'code',
  ])
  return JSON.parse(
    JSON.stringify(events, (key, value: unknown) => {
      if (words.has(key) || (key === 'reason' && !SWITCH_REASONS.has(value))) return undefined
      // The guards that a decision rests on or a trip is about, which journals did not name before; a configuration's are objects.
      if ((key === 'guards' || key === 'parts') && Array.isArray(value) && value.every((each) => typeof each === 'string'))
        return undefined
      return key === 'options' && Array.isArray(value) ? value.filter(({ choice }) => choice !== FALSE_ALARM) : value
    }),
  )
}
