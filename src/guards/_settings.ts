// Written by scripts/list-parts.ts (`npm run parts`) from the `@part` and `@settings` comments: do not edit.
import { budgetSettings } from './budget.ts'
import { circuitBreakerSettings } from './circuit-breaker.ts'
import { deadlineSettings } from './deadline.ts'
import { emptyIterationsSettings } from './empty-iterations.ts'
import { idleSettings } from './idle.ts'
import { iterationBudgetSettings } from './iteration-budget.ts'
import { maxIterationsSettings } from './max-iterations.ts'
import { noProgressSettings } from './no-progress.ts'
import { oscillationSettings } from './oscillation.ts'
import { qualityRegressionSettings } from './quality-regression.ts'
import { repeatedActionSettings } from './repeated-action.ts'
import { sameFailureSettings } from './same-failure.ts'
import { spinningTextSettings } from './spinning-text.ts'
import { stalledDiffSettings } from './stalled-diff.ts'
import { tamperingSettings } from './tampering.ts'
import { thrashingSettings } from './thrashing.ts'
import { worthContinuingSettings } from './worth-continuing.ts'

/** The settings of every guard that has some. */
export const GUARD_SETTINGS = {
  budget: budgetSettings,
  circuitBreaker: circuitBreakerSettings,
  deadline: deadlineSettings,
  emptyIterations: emptyIterationsSettings,
  idle: idleSettings,
  iterationBudget: iterationBudgetSettings,
  maxIterations: maxIterationsSettings,
  noProgress: noProgressSettings,
  oscillation: oscillationSettings,
  qualityRegression: qualityRegressionSettings,
  repeatedAction: repeatedActionSettings,
  sameFailure: sameFailureSettings,
  spinningText: spinningTextSettings,
  stalledDiff: stalledDiffSettings,
  tampering: tamperingSettings,
  thrashing: thrashingSettings,
  worthContinuing: worthContinuingSettings,
}
