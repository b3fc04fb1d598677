import type { Decision } from './step.ts'
import type { Effect } from './effect.ts'
import type { Event, EventType, Fact, Instant, Seq } from './event.ts'
import type { PartSpec } from './run-config.ts'
import { isDone, type State } from './state.ts'
import type { Trip } from './trip.ts'
import type { Verdict } from './verdict.ts'

/** A loop's part of the fold: what the state is after an event that the core has taken in. `before` is the state without it. */
export type LoopFold = (state: State, event: Event, before: State) => State

/** What a loop's own effect is performed with. */
export interface LoopPerformance {
  readonly state: State
  /** The folder the run works in. */
  readonly cwd: string
  readonly signal: AbortSignal
  now(): Instant
  /** Appends events; resolves when they are durable. The one that ends the effect carries its key. */
  post(facts: readonly Fact[]): Promise<void>
  /** Says what is happening now; not recorded. */
  progress(line: string): void
}

/** A method, so that each may name the effect it is for. */
interface Performs {
  perform(effect: Effect, performance: LoopPerformance): Promise<void>
}

/** Performs one of a loop's own effects and posts what came of it. */
export type Performer = Performs['perform']

/** A pure definition of how to iterate. */
export interface Loop {
  readonly spec: PartSpec
  /** What is to be on record before the first iteration; nothing once it is. */
  begins?(state: State): readonly Fact[]
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
  /** What follows from the iteration's end and is recorded with its judgement. */
  settles?(state: State): readonly Fact[]
  /** What follows from a success, with its message. Default: the run is completed. */
  finishes?(state: State, message: string, because?: Seq): readonly Fact[]
  /** What an iteration comes to, if that is not what its checks say. */
  verdict?(state: State): Verdict
  /** Keeps what the loop's own events say in its slice of the state. */
  readonly fold?: LoopFold
  /** Who performs the loop's own effects, by kind: asked for by the run's driver, and never while it is folded or judged. */
  performers?(): Promise<Readonly<Record<string, Performer>>>
  /** One decision from what is true. `trips` are those that decide: warnings and waived ones are left out. */
  decide(state: State, trips: readonly Trip[]): Decision
}

/** A fold from one handler for each event type that the loop cares about, its own or the core's. */
export function foldWith(handlers: LoopHandlers): LoopFold {
  const known = handlers as Readonly<Record<string, LoopFold | undefined>>
  return (state, event, before) => known[event.type]?.(state, event, before) ?? state
}

export type LoopHandlers = { readonly [Type in EventType]?: (state: State, event: Event<Type>, before: State) => State }

/** One fold after the other. */
export function foldsInOrder(...folds: readonly LoopFold[]): LoopFold {
  return (state, event, before) => folds.reduce((after, fold) => fold(after, event, before), state)
}

/** Stages are done one after another, the effects of one stage together: returns the first stage that is not done, less what is. */
export function stage(state: State, ...stages: readonly (readonly Effect[])[]): readonly Effect[] {
  for (const effects of stages) {
    const open = effects.filter((effect) => !isDone(state, effect.key))
    if (open.length > 0) return open
  }
  return []
}
