import { describe, expect, it } from 'vitest'
import { type GivenIteration, givenLoop } from '../../test/support/given-loop.ts'
import { sameFailure } from '../guards/index.ts'
import { factsOf } from './backtest/recorded-loop.ts'
import { policyComparison } from './tuning.ts'

const no: GivenIteration = { passed: false, error: 'no' }

function policyOf(repeatsMin: number) {
  return { name: String(repeatsMin), guards: [sameFailure({ repeatsMin, severity: 'trip' })] }
}

describe('policyComparison', () => {
  it('TUNE-1 says what another policy loses and avoids in the same loops, with bounds of the change', () => {
    const comparison = policyComparison(policyOf(2), [policyOf(3)])
    for (let index = 0; index < 10; index++) {
      comparison.add(factsOf(givenLoop([no, no, { passed: true }], { id: `solved ${index}`, outcome: 'solved', solved_at: 3 })))
      comparison.add(factsOf(givenLoop([no, no, no, no], { id: `failed ${index}` })))
    }
    const [change] = comparison.changes()
    expect(change).toMatchObject({
      policy: '3',
      lost: { of: 10, before: 10, after: 0 },
      avoided: { of: 40, before: 20, after: 10 },
    })
    // Ten goals that all change alike do not rule out that one in four would not.
    expect(change?.lost.interval).toEqual([-1, expect.closeTo(-0.741, 3)])
    expect(change?.avoided.interval).toEqual([expect.closeTo(-0.444, 3), expect.closeTo(-0.185, 3)])
  })

  it('TUNE-13 where nothing changed, bounds say what so few goals cannot rule out', () => {
    const comparison = policyComparison(policyOf(2), [policyOf(3)])
    for (let index = 0; index < 23; index++)
      comparison.add(factsOf(givenLoop([no, { passed: true }], { id: `solved ${index}`, outcome: 'solved', solved_at: 2 })))
    const [change] = comparison.changes()
    expect(change?.lost).toMatchObject({ of: 23, before: 0, after: 0 })
    expect(change?.lost.interval).toEqual([expect.closeTo(-0.122, 3), expect.closeTo(0.122, 3)])
  })
})
