import type { Guard } from '../core/guard.ts'
import { circuitBreaker } from './circuit-breaker.ts'
import { emptyIterations } from './empty-iterations.ts'
import { maxIterations } from './max-iterations.ts'
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

/**
 * What guards a run out of the box: the maximum decides, so does a streak of failures without a better score, and a pass that tampering
 * disputes is asked about; the rest only warns.
 */
export function defaultGuards(): readonly Guard[] {
  return [
    maxIterations(),
    circuitBreaker(),
    tampering(),
    sameFailure(),
    thrashing(),
    noProgress(),
    oscillation(),
    stalledDiff(),
    emptyIterations(),
    spinningText(),
    repeatedAction(),
    qualityRegression(),
    worthContinuing(),
  ]
}
