import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { guardFrom } from './guard-from.ts'
import { maxIterations } from './max-iterations.ts'

const failing = { failures: ['a'] }
const names = (count: number) => Array.from({ length: count }, (_, index) => `test ${index}`)

describe('maxIterations', () => {
  it.each([
    [3, 2, false],
    [3, 3, true],
    [3, 4, true],
    [1, 1, true],
  ])('GUARD-1 a maximum of %i after %i iterations trips: %s', (max, count, trips) => {
    const state = stateAfter(Array.from({ length: count }, () => failing))
    expect(maxIterations(max).inspect(state).length > 0).toBe(trips)
  })

  it('GUARD-2 says what happened, on what evidence, and what would let it continue', () => {
    const state = stateAfter([failing, failing])
    const [trip] = maxIterations(2).inspect(state)
    expect(trip).toMatchObject({
      guard: 'maxIterations',
      severity: 'trip',
      message: '2 iterations done, and the maximum is 2.',
      evidence: { facts: [state.current.ended?.seq], measures: { iterations: 2, iterationsMax: 2 } },
      raise: { guard: 'maxIterations', setting: 'iterationsMax', to: 5 },
    })
    expect(maxIterations(trip?.raise?.to).inspect(state)).toEqual([])
  })

  it('GUARD-3 defaults to 3 and refuses what cannot work', () => {
    expect(maxIterations().spec.settings).toEqual({ iterationsMax: 3 })
    for (const bad of [0, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => maxIterations(bad)).toThrow('maxIterations: iterationsMax must be a whole number of at least 1')
    }
  })

  it.each([
    ['rises while each iteration is better', [4, 3, 2], undefined],
    ['stops at the first that is no better', [4, 3, 3], 3],
    ['stops at one that is worse', [4, 2, 3], 3],
    ['compares with the best, not with the last', [4, 2, 3, 2], 4],
    ['looks at the iterations from the maximum on', [4, 5, 3], undefined],
    ['stops at the ceiling', [6, 5, 4, 3, 2], 5],
    ['stops where more is missing than a check', [4, 3, 0], 3],
  ])('GUARD-250 with extendWhileImproving the maximum %s', (_what, counts, maximum) => {
    const guard = maxIterations(2, { extendWhileImproving: 5 })
    const state = stateAfter(counts.map((count) => ({ failures: names(count), tests: 8 })))
    const [trip] = guard.inspect(state)
    expect(trip?.evidence.measures['iterationsMax']).toBe(maximum)
    expect(trip?.message).toBe(maximum && `${counts.length} iterations done, and the maximum is ${maximum}.`)
    expect(guardFrom(guard.spec).inspect(state)).toEqual(guard.inspect(state))
  })

  it('GUARD-250 refuses a ceiling that cannot work', () => {
    expect(maxIterations(3, { extendWhileImproving: 9 }).spec.settings).toEqual({ iterationsMax: 3, extendWhileImproving: 9 })
    expect(() => maxIterations(3, { extendWhileImproving: 0 })).toThrow(
      'maxIterations: extendWhileImproving must be a whole number of at least 1',
    )
  })
})
