import type { GuardSpec } from './run-config.ts'
import type { State } from './state.ts'
import type { Trip } from './trip.ts'

/** A pure function that says what is true of the run so far. It keeps nothing: everything it knows is in the state. */
export interface Guard {
  readonly spec: GuardSpec
  /** What holds now; nothing when all is well. */
  inspect(state: State): readonly Trip[]
  /** How much time at work is left before this guard trips, for guards that watch time. */
  remainingMs?(state: State): number | undefined
  /** The event that records its warnings, where it is not `guard.nudged`. */
  readonly warning?: 'budget.warned'
  /** The guards it is made of, for `anyOf`, `allOf` and `not`. */
  readonly parts?: readonly Guard[]
}
