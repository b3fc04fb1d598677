import { describe, expect, it } from 'vitest'
import { configOf, journalOf, stateAfter } from '../testing/state-builder.ts'
import type { Event } from '../core/event.ts'
import { evolveAll } from '../loops/evolve.ts'
import type { State } from '../core/state.ts'
import { noProgress } from './no-progress.ts'

const saying = (message: string, ids: readonly string[] = ['a']) => ({
  failures: ids.map((id) => ({ id, message, kind: 'assertion' as const })),
  tests: 10,
})
const times = (count: number, ids?: readonly string[]) => Array.from({ length: count }, (_, index) => saying(`m${index}`, ids))

describe('noProgress', () => {
  it.each([
    ['the same tests fail, whatever they say', times(4), true],
    ['not yet', times(3), false],
    ['another test fails', [...times(3), saying('m', ['b'])], false],
    ['one test fewer', [...times(3, ['a', 'b']), saying('m', ['a'])], false],
    ['it moved, and stands still since', [saying('m', ['a', 'b']), ...times(4)], true],
    ['the files stay as they are', times(4).map((each) => ({ ...each, files: [] })), false],
    ['it passes', [...times(4), { failures: [], tests: 10 }], false],
  ])('GUARD-40 %s', (_name, iterations, holds) => {
    expect(noProgress().inspect(stateAfter(iterations)).length > 0).toBe(holds)
  })

  it('GUARD-40 where a check only says that it failed, another message is progress', () => {
    expect(noProgress().inspect(withoutCounts(times(5)))).toEqual([])
    expect(noProgress().inspect(withoutCounts(Array.from({ length: 4 }, () => saying('m'))))).toHaveLength(1)
  })

  it('GUARD-40 where a check does not even say what failed, nobody knows whether it is the same', () => {
    const alike = Array.from({ length: 5 }, () => saying('m'))
    expect(noProgress().inspect(withoutCounts(alike, { failures: [] }))).toEqual([])
  })

  it('GUARD-40 shows what made no progress and a value that would let it continue', () => {
    const state = stateAfter(times(5, ['a', 'b']))
    const [trip] = noProgress().inspect(state)
    expect(trip).toMatchObject({
      severity: 'warn',
      message: '5 iterations changed the files, and none changed the outcome: 2 failures, the same ones.',
      evidence: {
        facts: state.recent.map(({ seq }) => seq),
        measures: { iterations: 5, iterationsMin: 4, score: 0.8, failing: 2 },
      },
    })
    expect(noProgress({ iterationsMin: trip?.raise?.to ?? 0 }).inspect(state)).toEqual([])
    expect(() => noProgress({ iterationsMin: 1 })).toThrow('noProgress: iterationsMin must be')
  })
})

/** As a command that reports only its exit code. */
function withoutCounts(iterations: Parameters<typeof journalOf>[0], more: { readonly failures?: readonly [] } = {}): State {
  const events = journalOf(iterations, configOf([])).map((event) => {
    if (event.type !== 'check.failed') return event
    const { counts: _unknown, ...data } = event.data
    return { ...event, data: { ...data, ...more } } as Event
  })
  return evolveAll(undefined, events) as State
}
