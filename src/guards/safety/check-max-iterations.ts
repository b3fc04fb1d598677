import { wholeNumber } from '../../schema/kinds.ts'
import { requireKind } from '../../schema/read-options.ts'

export interface SafetyCheckResult {
  readonly allowed: boolean
  /** Why not; only when it is not allowed. */
  readonly message?: string
}

/** Forbids every iteration above the maximum: with 5, the sixth. */
export function checkMaxIterations(currentIteration: number, maxIterations: number): SafetyCheckResult {
  requireKind('checkMaxIterations', 'currentIteration', currentIteration, wholeNumber(0))
  requireKind('checkMaxIterations', 'maxIterations', maxIterations, wholeNumber(1))
  if (currentIteration <= maxIterations) return { allowed: true }
  return {
    allowed: false,
    message: `Iteration ${currentIteration} exceeds maximum of ${maxIterations}. Circuit breaker triggered.`,
  }
}
