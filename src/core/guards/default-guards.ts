import type { Guard } from '../guard.ts'
import { circuitBreaker } from './circuit-breaker.ts'
import { maxIterations } from './max-iterations.ts'
import { sameFailure } from './same-failure.ts'

/** What guards a run out of the box: the maximum decides, so does a streak of failures without a better score; the rest only warns. */
export function defaultGuards(): readonly Guard[] {
  return [maxIterations(), circuitBreaker(), sameFailure()]
}
