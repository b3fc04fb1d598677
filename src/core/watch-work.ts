import type { Guard, WorkSoFar } from './guard.ts'
import type { State } from './state.ts'
import { type Trip, tripTopic } from './trip.ts'

/** What guards say about an agent at work. */
export interface WatchedWork {
  /** Why the work is to be ended now. */
  readonly end?: Trip
  /** Warnings that the agent hasn't been given yet. */
  readonly warnings: readonly Trip[]
}

/** Asks the guards that can judge work before it ends. A guard that a person let pass ends nothing. */
export function watchWork(guards: readonly Guard[], state: State, work: WorkSoFar): WatchedWork {
  const trips = guards.flatMap((guard) => guard.watch?.(state, work) ?? [])
  const end = trips.find(({ severity, guard }) => severity === 'trip' && !state.waivers.includes(guard))
  const warnings = trips.filter(
    (trip) => trip.severity === 'warn' && !state.nudged.some(({ topic }) => topic === tripTopic(trip)),
  )
  return { ...(end ? { end } : {}), warnings }
}

/** Why this guard had work of the present iteration ended. */
export function endingsBy({ current: { work } }: State, guard: string): readonly Trip[] {
  return work.flatMap(({ endedBy }) => (endedBy?.guard === guard ? [endedBy] : [])).slice(-1)
}
