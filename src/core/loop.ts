import type { Decision } from './decision.ts'
import type { Effect } from './effect.ts'
import type { Fact } from './event.ts'
import type { PlanItem } from './plan.ts'
import type { PartSpec } from './run-config.ts'
import type { State } from './state.ts'
import type { Trip } from './trip.ts'
import type { Verdict } from './verdict.ts'

/** A pure definition of how to iterate. */
export interface Loop {
  readonly spec: PartSpec
  /** What is to be brought about one after the other, where there are several things. */
  readonly items?: readonly PlanItem[]
  /** What the agent has to say when it is done, where it has to say anything. */
  readonly promises?: readonly string[]
  /** What follows from the facts so far and is to be on record before anything else is done; nothing once it is. */
  concludes?(state: State): readonly Fact[]
  /** What the present iteration still needs, the next stage only; nothing when it is ready to be judged. */
  effects(state: State): readonly Effect[]
  /** What the iteration waits for before it can end: a person's review. */
  awaits?(
    state: State,
  ): { readonly decision: Decision; readonly review: { readonly key: string; readonly name: string } } | undefined
  /** What is done once the work is a success, before that is on record: a commit. */
  seals?(state: State): readonly Effect[]
  /** What an iteration comes to, where that is not what its checks say. */
  verdict?(state: State): Verdict
  /** One decision from what is true. `trips` are those that decide: warnings and waived ones are left out. */
  decide(state: State, trips: readonly Trip[]): Decision
}
