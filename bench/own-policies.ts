import { builtInPolicies, type Policy } from '../src/evidence/backtest/policy.ts'
import { circuitBreaker, defaultGuards, withSeverity } from '../src/guards/index.ts'
import { isLimit } from '../src/core/trip.ts'

const ALL_BUT =
  ' Without worthContinuing, which learned from these loops: `pawl backtest --policy all` has it in, so that its figures on these loops differ, and flatter.'

/** Our own guards as policies: as they come out of the box, all of them deciding, and each of them alone. */
export const ownPolicies: readonly Policy[] = [
  ...Object.values(builtInPolicies()).map((policy) => ({
    ...policy,
    name: `pawl ${policy.name}`,
    about: `${policy.about ?? ''}${policy.name === 'all' ? ALL_BUT : ''}`,
    guards: policy.guards.filter(({ spec }) => !isLearned(spec.name)),
  })),
  ...defaultGuards()
    .filter(({ spec }) => !isLimit(spec.name) && !isLearned(spec.name))
    .map((guard) => ({
      name: `pawl ${guard.spec.name}`,
      about: 'That guard alone, with its own threshold and deciding.',
      guards: [withSeverity(guard, 'trip')],
    })),
  ...[3, 4, 5, 6, 10].map((failuresMax) => ({
    name: `pawl circuitBreaker ${failuresMax}`,
    about: `The circuit breaker alone with failures_max ${failuresMax}, to choose its default by.`,
    guards: [circuitBreaker({ failuresMax })],
  })),
]

/** What was learned from these very loops is measured on its own, cross-validated: see `odds/report.ts`. */
function isLearned(guard: string): boolean {
  return guard === 'worthContinuing'
}
