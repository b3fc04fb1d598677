/** What has to hold before research is done. */
export type Criterion = 'coverage' | 'confidence' | 'conflicts' | 'questions'

export interface CriterionResult {
  readonly criterion: Criterion
  readonly value: number
  /** At least this much; for conflicts at most. */
  readonly threshold: number
  readonly passed: boolean
}

/** How an iteration stands against the criteria. */
export interface Convergence {
  readonly iteration: number
  readonly iterationsMax: number
  readonly coverage: number
  readonly filesAnalysed: number
  readonly filesRelevant: number
  readonly confidence: number
  readonly unresolvedConflicts: number
  /** Pairs in free words that nobody has judged; they do not count. */
  readonly needsReview: number
  readonly questionsAnswered: number
  readonly questionsCritical: number
  readonly criteria: readonly CriterionResult[]
  readonly status: ConvergenceStatus
  /** `EXIT` ends the research; `reason` says why, or why it goes on. */
  readonly action: 'CONTINUE' | 'EXIT'
  readonly reason: string
  /** Set when it ends early for its quality, with the iterations that were not needed. */
  readonly early?: { readonly iterationsSkipped: number }
  /** Agents of this iteration that failed: what they were sent for is still open. */
  readonly agentFailures: readonly string[]
  readonly metrics: IterationMetrics
}

/** `PARTIAL` only once the research is over without all criteria. */
export type ConvergenceStatus = 'not_converged' | 'FULL' | 'PARTIAL'

/** What one iteration brought. */
export interface IterationMetrics {
  readonly iteration: number
  readonly agents: number
  readonly agentsFailed: number
  readonly filesNew: number
  readonly findingsNew: number
  readonly findingsMerged: number
  readonly duplicatesSkipped: number
  readonly citationsAdded: number
  readonly citationsRefuted: number
  readonly durationMs: number
  readonly coverageGain: number
  readonly confidenceGain: number
}

/** The criteria that do not hold. */
export function unmetCriteria({ criteria }: Pick<Convergence, 'criteria'>): readonly Criterion[] {
  return criteria.filter(({ passed }) => !passed).map(({ criterion }) => criterion)
}

/** How many iterations are remembered one by one. */
export const CONVERGENCES_MAX = 50
