import { wholeNumber } from '../../schema/kinds.ts'
import { requireKind } from '../../schema/read-options.ts'
import type { IterationHistoryEntry } from './iteration-history-entry.ts'

export interface CircuitBreakerResult {
  readonly open: boolean
  readonly consecutiveFailures: number
  /** Only when it is open. */
  readonly message?: string
}

/** Opens when the last `threshold` iterations (default 3) failed, one after the other. What neither passed nor failed is passed over. */
export function checkCircuitBreaker(iterationHistory: readonly IterationHistoryEntry[], threshold = 3): CircuitBreakerResult {
  requireKind('checkCircuitBreaker', 'threshold', threshold, wholeNumber(1))
  const results = iterationHistory.map((entry) => entry.validationResult?.passed).filter((passed) => typeof passed === 'boolean')
  const consecutiveFailures = results.length - 1 - results.lastIndexOf(true)
  if (consecutiveFailures < threshold) return { open: false, consecutiveFailures }
  const message = `Circuit breaker OPEN: ${consecutiveFailures} consecutive validation failures (threshold: ${threshold}). Manual intervention required.`
  return { open: true, consecutiveFailures, message }
}
