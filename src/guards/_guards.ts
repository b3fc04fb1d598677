// Written by scripts/list-parts.ts (`npm run parts`) from the `@part` and `@settings` comments: do not edit.
import { budget } from './budget.ts'
import { circuitBreaker } from './circuit-breaker.ts'
import { anyOfFrom, allOfFrom, notFrom } from './combine.ts'
import { deadline } from './deadline.ts'
import { emptyIterations } from './empty-iterations.ts'
import { idle } from './idle.ts'
import { iterationBudget } from './iteration-budget.ts'
import { ladderFrom } from './ladder.ts'
import { maxIterationsFrom } from './max-iterations.ts'
import { noProgress } from './no-progress.ts'
import { oscillation } from './oscillation.ts'
import { qualityRegression } from './quality-regression.ts'
import { repeatedAction } from './repeated-action.ts'
import { sameFailure } from './same-failure.ts'
import { spinningText } from './spinning-text.ts'
import { stalledDiff } from './stalled-diff.ts'
import { tampering } from './tampering.ts'
import { thrashing } from './thrashing.ts'
import { worthContinuing } from './worth-continuing.ts'

/** Every guard that a run can name. */
export const GUARDS = {
  budget,
  circuitBreaker,
  anyOf: anyOfFrom,
  allOf: allOfFrom,
  not: notFrom,
  deadline,
  emptyIterations,
  idle,
  iterationBudget,
  ladder: ladderFrom,
  maxIterations: maxIterationsFrom,
  noProgress,
  oscillation,
  qualityRegression,
  repeatedAction,
  sameFailure,
  spinningText,
  stalledDiff,
  tampering,
  thrashing,
  worthContinuing,
}
