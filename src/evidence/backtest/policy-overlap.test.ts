import { describe, expect, it } from 'vitest'
import { type GivenIteration, givenLoop } from '../../../test/support/given-loop.ts'
import { circuitBreaker, sameFailure } from '../../guards/index.ts'
import { factsOf } from './recorded-loop.ts'
import { policyOverlap } from './policy.ts'

const same: readonly GivenIteration[] = Array.from({ length: 6 }, () => ({ passed: false, error: 'no' }))
const others: readonly GivenIteration[] = Array.from({ length: 6 }, (_, index) => ({ passed: false, error: `no ${index}` }))

describe('policyOverlap', () => {
  it('TUNE-14 what several policies avoid counts once, for the first of them', () => {
    const breaker = { name: 'breaker', guards: [circuitBreaker({ failuresMax: 3 })] }
    const later = { name: 'later', guards: [circuitBreaker({ failuresMax: 4 })] }
    const repeated = { name: 'repeated', guards: [sameFailure({ repeatsMin: 2, severity: 'trip' })] }
    const overlap = policyOverlap({ name: 'now', guards: [circuitBreaker({ failuresMax: 5 })] }, [breaker, later, repeated])
    overlap.add(factsOf(givenLoop(same, { id: 'same' })))
    overlap.add(factsOf(givenLoop(others, { id: 'others' })))
    overlap.add(factsOf(givenLoop([...same, { passed: true }], { id: 'solved', outcome: 'solved', solved_at: 7 })))
    expect(overlap.avoided()).toEqual([
      { alone: 4, beside: 4 },
      { alone: 2, beside: 0 },
      { alone: 3, beside: 1 },
    ])
  })
})
