import type { Effect } from './effect.ts'
import type { Fact, Instant, Seq } from './event.ts'
import type { Outcome } from './outcome.ts'
import type { Question } from './question.ts'
import type { Saying } from './saying.ts'

/** What comes next, as data: the runner performs it, a hook or an MCP tool hands it to the agent. */
export type Step =
  /** Things the pure side concludes: trips, decisions, iterations. */
  | { readonly kind: 'record'; readonly facts: readonly Fact[] }
  /** Everything wanted now; keys already under way are not started twice. */
  | { readonly kind: 'perform'; readonly effects: readonly Effect[] }
  /** All of the iteration is done but its end, which the caller holds back (`AdvanceOptions.hold`). */
  | { readonly kind: 'hold' }
  | { readonly kind: 'wait'; readonly for: 'person' | 'timer'; readonly until?: Instant }
  | { readonly kind: 'end'; readonly outcome: Outcome }

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
  /** A stopped run asks: without a question nobody could let it continue. */
  | { readonly action: 'escalate' | 'stop' | 'wait'; readonly question: Question }
)
