/** Two findings that cannot both be right. */
export interface Conflict {
  /** `conflict-001`. */
  readonly id: string
  /** What it is about: subject and attribute, or the words both share. */
  readonly topic: string
  readonly scope?: string
  readonly sides: readonly [ConflictSide, ConflictSide]
  /** How it was found: structured claims that differ, a judge's verdict, or the optional cosine rule. */
  readonly basis: 'claims' | 'judge' | 'cosine'
  /** Why they may differ, where that can be seen: other files were looked at. */
  readonly rootCause?: string
  readonly iterationRaised: number
  readonly resolution?: ConflictResolution
}

export interface ConflictSide {
  readonly finding: string
  readonly value: string
}

/** How a conflict ended. */
export interface ConflictResolution {
  /** The finding that holds; `both` where their scopes differ; `neither`. */
  readonly keep: string
  readonly reason: string
  readonly agent: string
  readonly iteration: number
}

/** Two findings in free words that may contradict each other: shown as "needs review", never counted as a conflict. */
export interface Nomination {
  /** `pair-001`. */
  readonly id: string
  readonly findings: readonly [string, string]
  readonly similarity: number
  /** What made it suspect: another number, a negation. */
  readonly why: string
  /** `needs review` until a judge decided. */
  readonly status: 'needs review' | 'contradiction' | 'no contradiction'
}

/** How many pairs are kept for review. */
export const NOMINATIONS_MAX = 100
