import type { Seq } from '../event.ts'
import type { Verdict } from '../verdict.ts'

/** Failures in a row without a score better than all before. */
export interface BetterScore {
  readonly best: number
  readonly failures: number
  /** Ends of the failed iterations counted, the newest last; at most `FACTS_MAX`. */
  readonly facts: readonly Seq[]
}

const FACTS_MAX = 10

/** Nothing measured yet. */
export const initialBetterScore: BetterScore = { best: 0, failures: 0, facts: [] }

/** Counts one more iteration: a pass or a better score starts the count anew. */
export function measureBetterScore(measure: BetterScore, verdict: Verdict, seq: Seq): BetterScore {
  const isBetter = verdict.score > measure.best
  if (verdict.passed || isBetter) return { best: Math.max(measure.best, verdict.score), failures: 0, facts: [] }
  return { best: measure.best, failures: measure.failures + 1, facts: [...measure.facts, seq].slice(-FACTS_MAX) }
}

/** A person stepped in: what failed before is no evidence against what they asked for. The best score stays. */
export function forgiveFailures(measure: BetterScore): BetterScore {
  return { ...measure, failures: 0, facts: [] }
}
