import type { Decision } from './decision.ts'
import type { Effect } from './effect.ts'
import type { PartSpec } from './run-config.ts'
import type { State } from './state.ts'
import type { Trip } from './trip.ts'

/** A pure definition of how to iterate. */
export interface Loop {
  readonly spec: PartSpec
  /** What the present iteration still needs, the next stage only; nothing when it is ready to be judged. */
  effects(state: State): readonly Effect[]
  /** One decision from what is true. `trips` are those that decide: warnings and waived ones are left out. */
  decide(state: State, trips: readonly Trip[]): Decision
}
