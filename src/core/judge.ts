import type { Guard } from './guard.ts'
import type { State } from './state.ts'
import type { Trip } from './trip.ts'

/** Asks every guard. Returns what is true, in the order of the guards, and never what to do about it. */
export function judge(guards: readonly Guard[], state: State): readonly Trip[] {
  const trips: Trip[] = []
  for (const guard of guards) trips.push(...guard.inspect(state))
  return trips
}

/** The shortest time at work that any guard leaves. */
export function remainingMs(guards: readonly Guard[], state: State): number | undefined {
  const limits = guards.map((guard) => guard.remainingMs?.(state)).filter((limit) => limit !== undefined)
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits))
}
