/** All there are. */
export const SUSPICION_KINDS = ['deleted', 'skipped', 'focused', 'emptied', 'weakened', 'protected', 'state'] as const

export type SuspicionKind = (typeof SUSPICION_KINDS)[number]

/** An edit by the agent to what its work is checked by, with the exact line. */
export interface Suspicion {
  readonly kind: SuspicionKind
  readonly file: string
  readonly line?: number
  /** The line itself, shortened. */
  readonly text: string
  /** Set when it was found in an earlier iteration, no person accepted it, and it is not put back. */
  readonly isEarlier?: true
}

/** How many suspicions a look at the workspace names. */
export const SUSPICIONS_MAX = 20
