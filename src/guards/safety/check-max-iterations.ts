import { requireIntegerAtLeast } from '../../core/require.ts'

export interface SafetyCheckResult {
  readonly allowed: boolean
  /** Why not; only when it is not allowed. */
  readonly message?: string
}

/** Forbids every iteration above the maximum: with 5, the sixth. */
export function checkMaxIterations(currentIteration: number, maxIterations: number): SafetyCheckResult {
  requireIntegerAtLeast('checkMaxIterations', 'currentIteration', currentIteration, 0)
  requireIntegerAtLeast('checkMaxIterations', 'maxIterations', maxIterations, 1)
  if (currentIteration <= maxIterations) return { allowed: true }
  return {
    allowed: false,
    message: `Iteration ${currentIteration} exceeds maximum of ${maxIterations}. Circuit breaker triggered.`,
  }
}
