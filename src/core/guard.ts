import type { Action } from './action.ts'
import type { Spinning, Usage } from './event-data.ts'
import type { GuardSpec } from './run-config.ts'
import type { State } from './state.ts'
import type { Trip } from './trip.ts'

/** A pure function that says what is true of the run so far. It keeps nothing: everything it knows is in the state. */
export interface Guard {
  readonly spec: GuardSpec
  /** What holds now; nothing when all is well. */
  inspect(state: State): readonly Trip[]
  /** The same while an agent works, for guards that need not wait for its end: a `trip` ends the work, a `warn` warns the agent. */
  watch?(state: State, work: WorkSoFar): readonly Trip[]
  /** How much money is left before this guard trips, for guards that watch money. */
  remainingUsd?(state: State): number | undefined
  /** How many messages one piece of work may take, for guards that watch that. */
  readonly messagesMax?: number
  /** How much time at work is left before this guard trips, for guards that watch time. */
  remainingMs?(state: State): number | undefined
  /** How long the run may still wait before this guard has it ask, for guards that watch waiting. */
  waitLimit?(state: State): WaitLimit | undefined
  /** The event that records its warnings, if it is not `guard.nudged`. */
  readonly warning?: 'budget.warned'
  /** The guards it is made of, for `anyOf`, `allOf` and `not`. */
  readonly parts?: readonly Guard[]
}

/** How long a run may still wait. */
export interface WaitLimit {
  readonly remainingMs: number
  /** The limit, as the end of a sentence. */
  readonly message: string
  /** How to wait longer. */
  readonly fix: string
}

/** What an agent at work has done until now. */
export interface WorkSoFar {
  /** What it used, and what agents that work beside it used: none of this is in the totals yet. */
  readonly used: Usage
  /** Its messages and tool calls together. */
  readonly messages: number
  /** Its last tool calls, the newest last. */
  readonly actions: readonly Action[]
  /** Set while its text ends in the same words again and again. */
  readonly spinning?: Spinning
  /** How long there was no output of it and no changed file. */
  readonly quietMs: number
}
