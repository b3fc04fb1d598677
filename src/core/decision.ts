import type { Seq } from './event.ts'
import type { Question } from './question.ts'
import type { Saying } from './saying.ts'

/** What to do next, and the facts that say so. */
export type Decision = {
  readonly message: string
  /** Which decision it is, with the values of its message. Absent for a loop of your own. */
  readonly says?: Saying
  /** The guards whose trips it rests on. Absent for a loop of your own: then on all that tripped. */
  readonly guards?: readonly string[]
  readonly basis: readonly Seq[]
} & (
  | { readonly action: 'proceed' | 'retry' }
  /** Whoever stands still asks: without a question nobody could let it go on. */
  | { readonly action: 'escalate' | 'stop' | 'wait'; readonly question: Question }
)
