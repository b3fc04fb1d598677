import type { Seq } from './event.ts'
import type { Question } from './question.ts'

/** What to do next, and the facts that say so. */
export type Decision = {
  readonly message: string
  readonly basis: readonly Seq[]
} & (
  | { readonly action: 'proceed' | 'retry' }
  /** Whoever stands still asks: without a question nobody could let it go on. */
  | { readonly action: 'escalate' | 'stop' | 'wait'; readonly question: Question }
)
