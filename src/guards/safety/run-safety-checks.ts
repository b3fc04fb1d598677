import { checkCircuitBreaker } from './check-circuit-breaker.ts'
import { checkMaxIterations } from './check-max-iterations.ts'
import { checkQualityRegression } from './check-quality-regression.ts'
import { checkThrashing } from './check-thrashing.ts'
import type { IterationHistoryEntry } from './iteration-history-entry.ts'

/** How a loop of iterations is limited. */
export interface IterationConfig {
  readonly maxIterations: number
  /** What the agent says when it is done; no safety check looks at it. */
  readonly completionPromises: readonly string[]
  /** No safety check looks at these either. */
  readonly validationRules?: readonly { readonly type: string; readonly name: string; readonly config: object }[]
  /** Failures in a row. Default 3. */
  readonly circuitBreakerThreshold?: number
}

export interface CombinedSafetyResult {
  readonly canContinue: boolean
  readonly blockedBy?: 'max_iterations' | 'circuit_breaker' | 'quality_regression' | 'thrashing'
  readonly message?: string
}

/** Whether iteration `iterationNumber` may begin: the first of maximum, circuit breaker, regression and thrashing that forbids it says so. */
export function runSafetyChecks(
  iterationNumber: number,
  config: IterationConfig,
  history: readonly IterationHistoryEntry[],
): CombinedSafetyResult {
  const maximum = checkMaxIterations(iterationNumber, config.maxIterations)
  if (!maximum.allowed) return blocked('max_iterations', maximum)
  const breaker = checkCircuitBreaker(history, config.circuitBreakerThreshold)
  if (breaker.open) return blocked('circuit_breaker', breaker)
  const quality = checkQualityRegression(history)
  if (quality.regression) return blocked('quality_regression', quality)
  const churn = checkThrashing(history)
  if (churn.thrashing) return blocked('thrashing', churn)
  return { canContinue: true }
}

function blocked(
  blockedBy: NonNullable<CombinedSafetyResult['blockedBy']>,
  { message = '' }: { readonly message?: string },
): CombinedSafetyResult {
  return { canContinue: false, blockedBy, message }
}
