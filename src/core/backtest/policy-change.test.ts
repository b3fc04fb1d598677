import { describe, expect, it } from 'vitest'
import { type GivenIteration, givenLoop } from '../../testing/given-loop.ts'
import { sameFailure } from '../guards/index.ts'
import { factsOf } from './facts-of.ts'
import { policyComparison } from './policy-change.ts'

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
    expect(change?.lost.interval).toEqual([-1, -1])
    expect(change?.avoided.interval).toEqual([-0.25, -0.25])
  })
})
