import { describe, expect, it } from 'vitest'
import type { Guard } from '../core/guard.ts'
import { configOf, stateAfter } from '../testing/state-builder.ts'
import { circuitBreaker } from './circuit-breaker.ts'
import { maxIterations } from './max-iterations.ts'
import { worthContinuing } from './worth-continuing.ts'

const failing = (count: number) => ({ failures: Array.from({ length: count }, (_, index) => `t${index}`), tests: 10 })
const passing = { failures: [], tests: 10 }

describe('circuitBreaker', () => {
  it.each([
    ['never passed, always as bad', [5, 5, 5], 3, false],
    ['one more of the same', [5, 5, 5, 5], 3, true],
    ['it still gets better', [5, 4, 3, 2, 1], 3, false],
    ['better once in a while', [5, 5, 4, 4, 3, 3], 3, false],
    ['worse and worse', [5, 6, 7, 8], 3, true],
    ['better than before, but not than the best', [2, 5, 4, 3], 3, true],
  ])('GUARD-7 counts failures without a better score: %s', (_name, failures, failuresMax, trips) => {
    const found = circuitBreaker({ failuresMax }).inspect(stateAfter(failures.map(failing)))
    expect(found.length > 0).toBe(trips)
  })

  it('GUARD-7 a pass restarts the count', () => {
    const state = stateAfter([failing(5), failing(5), passing, failing(5), failing(5)])
    expect(circuitBreaker({ failuresMax: 3 }).inspect(state)).toEqual([])
    expect(circuitBreaker({ failuresMax: 2 }).inspect(state)).toHaveLength(1)
  })

  it('GUARD-8 points to the iterations it counted and to a value that would let it continue', () => {
    const state = stateAfter([failing(5), failing(5), failing(5)])
    const [trip] = circuitBreaker({ failuresMax: 2 }).inspect(state)
    expect(trip?.evidence.measures).toEqual({ failures: 2, failuresMax: 2, bestScore: 0.5 })
    expect(trip?.evidence.facts).toEqual(state.recent.slice(1).map((iteration) => iteration.seq))
    expect(circuitBreaker({ failuresMax: trip?.raise?.to ?? 0 }).inspect(state)).toEqual([])
  })

  it('GUARD-3 defaults to 8 and refuses what cannot work', () => {
    expect(circuitBreaker().spec).toMatchObject({ severity: 'trip', settings: { failuresMax: 8 } })
    expect(() => circuitBreaker({ failuresMax: 0 })).toThrow('circuitBreaker: failuresMax must be')
  })

  it('ODDS-62 at its default it leaves the decision to the odds if they are known and decide', () => {
    const failed = Array.from({ length: 9 }, () => ({ failures: ['a'] }))
    const trips = (guards: readonly Guard[], failuresMax?: number): number =>
      circuitBreaker(failuresMax === undefined ? {} : { failuresMax }).inspect(
        stateAfter(failed, configOf(guards.map(({ spec }) => spec))),
      ).length
    expect(trips([maxIterations(10), worthContinuing()])).toBe(0)
    expect(trips([maxIterations(10), worthContinuing()], 7)).toBe(1)
    expect(trips([maxIterations(10), worthContinuing({ severity: 'warn' })])).toBe(1)
    // Nothing is known of so long a loop.
    expect(trips([maxIterations(100), worthContinuing()])).toBe(1)
  })
})
