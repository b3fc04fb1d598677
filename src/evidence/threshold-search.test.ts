import { describe, expect, it } from 'vitest'
import { type GivenIteration, givenLoop } from '../../test/support/given-loop.ts'
import { circuitBreaker, ladder, sameFailure } from '../guards/index.ts'
import type { GuardSpec } from '../core/run-config.ts'
import { factsOf } from './backtest/recorded-loop.ts'
import { thresholdSearch } from './tuning.ts'

function failures(count: number, name: string): readonly GivenIteration[] {
  return Array.from({ length: count }, () => ({ passed: false, error: name }))
}

/** Loops that fail six times the same way, and loops that fail so twice before they succeed; `late` of these three times. */
function search(guards: readonly GuardSpec[], { solved = 20, failed = 10, late = 0 } = {}) {
  const searching = thresholdSearch(guards)
  for (let index = 0; index < failed; index++) searching.add(factsOf(givenLoop(failures(6, 'no'), { id: `failed ${index}` })))
  for (let index = 0; index < solved; index++) {
    const before = failures(index < late ? 3 : 2, 'no')
    const solvedAt = before.length + 1
    searching.add(
      factsOf(givenLoop([...before, { passed: true }], { id: `solved ${index}`, outcome: 'solved', solved_at: solvedAt })),
    )
  }
  return searching.found()
}

describe('thresholdSearch', () => {
  it('TUNE-9 finds the lowest threshold at which a guard could decide without losing a success, and what to expect of it', () => {
    const found = search([])
    expect(found.find(({ guard }) => guard === 'sameFailure')).toMatchObject({
      setting: 'repeatsMin',
      to: 3,
      solved: 20,
      failed: 10,
      lost: { of: 20, before: 0, after: 0 },
      avoided: { of: 60, before: 0, after: 30 },
    })
  })

  it('TUNE-9 what some successes need counts: one that came late forbids the lower threshold', () => {
    const late = search([], { late: 10 }).find(({ guard }) => guard === 'sameFailure')
    expect(late).toMatchObject({ to: 4, lost: { after: 0 }, avoided: { after: 20 } })
    // One late success alone: chosen without it the threshold is too low, and that is what it would have cost.
    expect(search([], { late: 1 }).find(({ guard }) => guard === 'sameFailure')).toBeUndefined()
  })

  it('TUNE-9 nothing is found where loops are few, or where a guard decides as early already', () => {
    expect(search([], { solved: 19 })).toEqual([])
    expect(search([], { failed: 9 })).toEqual([])
    const guards = [sameFailure({ repeatsMin: 3, severity: 'trip' }), circuitBreaker({ failuresMax: 3 })].map(({ spec }) => spec)
    expect(search(guards)).toEqual([])
  })

  it('TUNE-10 a success that the present guards lose anyway does not hide that another guard loses it too', () => {
    const present = [circuitBreaker({ failuresMax: 3 }).spec]
    expect(search(present, { late: 20 })).toEqual([])
  })

  it('TUNE-13 what was never seen to happen is not said never to happen', () => {
    const [few, many] = [20, 200].map((solved) => search([], { solved }).find(({ guard }) => guard === 'sameFailure'))
    // None of twenty goals: by the rule of three up to about 3 in 20.
    expect(few?.lost.interval).toEqual([0, expect.closeTo(0.139, 3)])
    expect(many?.lost.interval).toEqual([0, expect.closeTo(0.015, 3)])
    const [low = 0, high = 0] = few?.avoided.interval ?? []
    expect(low).toBeGreaterThan(0.3)
    expect(low).toBeLessThan(0.5)
    expect(high).toBeGreaterThan(0.5)
  })

  it('TUNE-9 a ladder is what somebody wanted, and is left alone', () => {
    const found = search([ladder(sameFailure()).spec])
    expect(found.map(({ guard }) => guard)).not.toContain('sameFailure')
  })
})
