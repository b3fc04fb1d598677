/** One iteration as the safety checks look at it. */
export interface IterationHistoryEntry {
  readonly iteration: number
  /** Missing, as in an entry written before anything was validated: neither a pass nor a failure. */
  readonly validationResult?: ValidationResult
  /** What the workspace says was changed; each file counts once for the iteration. */
  readonly filesModified?: readonly string[]
  readonly timestamp?: string
  readonly checkpointId?: string
}

export interface ValidationResult {
  /** Missing is neither a pass nor a failure. */
  readonly passed?: boolean
  /** How good it is, 0..1. Default: 1 for a pass, 0 for a failure. */
  readonly score?: number
  /** What was found; a `file: path` in a message counts as a changed file. */
  readonly flags?: readonly { readonly message: string; readonly ruleName?: string; readonly severity?: string }[]
}
