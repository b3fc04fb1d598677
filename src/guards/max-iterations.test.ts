import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { maxIterations } from './max-iterations.ts'

const failing = { failures: ['a'] }

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
})
