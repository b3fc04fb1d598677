import type { Event } from '../../core/event.ts'
import type { LoopKind } from './recorded-loop.ts'

/** A loop that is over, as facts of our own: what policies are tried on. */
export interface ReplayableLoop {
  readonly dataset: string
  readonly id: string
  readonly task: string
  readonly kind: LoopKind
  /** `undefined` where nobody knows: such a loop is replayed and counts neither as a failure nor as a success. */
  readonly outcome?: 'solved' | 'failed'
  /** The iteration that brought the success. */
  readonly solvedAt?: number
  /** What each iteration cost in US dollars; absent where the source does not say. */
  readonly costsUsd?: readonly number[]
  /** Places of the iterations of which neither a result nor an error was recorded; absent where there is none. */
  readonly unknown?: ReadonlySet<number>
  /** The journal, cut after each `iteration.ended`; one list of events an iteration. */
  readonly iterations: readonly (readonly Event[])[]
}
