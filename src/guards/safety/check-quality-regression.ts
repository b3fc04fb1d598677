import { initialTrend, isDeclining, TREND_WINDOW, trendWith } from '../../core/measures/trend.ts'
import type { IterationHistoryEntry, ValidationResult } from './iteration-history-entry.ts'

export interface QualityRegressionResult {
  readonly regression: boolean
  /** Steps inside the window that did not go up; 0 when there is no regression. */
  readonly consecutiveDeclines: number
  /** Only when there is one. */
  readonly message?: string
}

/** Holds when the last three scores are all below the best before them and none is better than the one before it. */
export function checkQualityRegression(iterationHistory: readonly IterationHistoryEntry[]): QualityRegressionResult {
  const trend = iterationHistory
    .flatMap((entry) => scoreOf(entry.validationResult ?? {}) ?? [])
    .reduce((seen, score, index) => trendWith(seen, score, index), initialTrend)
  if (!isDeclining(trend)) return { regression: false, consecutiveDeclines: 0 }
  const consecutiveDeclines = TREND_WINDOW - 1
  const message = `Quality regression detected: Validation scores declined ${consecutiveDeclines} consecutive times. Consider changing approach.`
  return { regression: true, consecutiveDeclines, message }
}

function scoreOf({ passed, score }: ValidationResult): number | undefined {
  return score ?? (passed === undefined ? undefined : Number(passed))
}
