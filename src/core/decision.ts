import type { DecisionAction } from './event-data.ts'
import type { Seq } from './event.ts'
import type { Question } from './question.ts'

/** What to do next, and the facts that say so. */
export interface Decision {
  readonly action: DecisionAction
  readonly message: string
  readonly basis: readonly Seq[]
  /** Asked when the action is `escalate` or `stop`. */
  readonly question?: Question
}
