import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { stalledDiff } from './stalled-diff.ts'

const like = (lines: number, linesDiffering = 1, characters?: number) => ({
  failures: ['a'],
  likeness: { lines, linesDiffering, ...(characters === undefined ? {} : { characters }) },
})
const first = { failures: ['a'] }

describe('stalledDiff', () => {
  it.each([
    ['three changes alike', [first, like(0.98), like(0.97)], true],
    ['two changes alike', [first, like(1)], false],
    ['the last one differs', [first, like(1), like(1), like(0.5, 40)], false],
    ['alike again later', [like(1), like(0.2, 9), like(1), like(1)], true],
    ['large changes that differ in some lines', [first, like(0.99, 12), like(0.99, 9)], false],
    ['small changes of which half differs', [first, like(0.5, 2), like(0.5, 2)], false],
    ['nothing changed, so nothing is compared', [first, like(1), { failures: ['a'], files: [] }], false],
  ])('GUARD-37 %s', (_name, iterations, holds) => {
    expect(stalledDiff().inspect(stateAfter(iterations)).length > 0).toBe(holds)
  })

  it('GUARD-37 by characters it looks at their ratio, and only if it was measured', () => {
    const guard = stalledDiff({ by: 'characters', similarityMin: 0.9, repeatsMin: 1 })
    expect(guard.inspect(stateAfter([first, like(0.1, 90, 0.91)]))[0]?.message).toBe(
      'The last 2 changes are nearly the same: 91% of the last one was in the one before.',
    )
    expect(guard.inspect(stateAfter([first, like(1, 0, 0.89)]))).toEqual([])
    expect(guard.inspect(stateAfter([first, like(1)]))).toEqual([])
  })

  it('GUARD-37 points to the iterations and to a value that would let it continue', () => {
    const state = stateAfter([first, like(1), like(1)])
    const [trip] = stalledDiff().inspect(state)
    expect(trip).toMatchObject({ severity: 'warn', evidence: { facts: state.recent.slice(1).map(({ seq }) => seq) } })
    expect(stalledDiff({ repeatsMin: trip?.raise?.to ?? 0 }).inspect(state)).toEqual([])
    expect(() => stalledDiff({ similarityMin: 1.5 })).toThrow('stalledDiff: similarityMin must be a share')
    expect(() => stalledDiff({ by: 'words' as never })).toThrow('stalledDiff: by must be lines or characters, not "words"')
  })
})
