import type { Trip } from './trip.ts'

/** The guards that are limits a person set: they are right by definition, so nobody can call them a false alarm. */
const LIMITS: ReadonlySet<string> = new Set(['maxIterations', 'budget', 'deadline'])

/** Whether a guard is a limit, and no judgement on how the work goes. */
export function isLimit(guard: string): boolean {
  return LIMITS.has(guard)
}

/** The same of a trip: an `anyOf` is a limit where only limits hold in it. */
export function isLimitTrip({ guard, of = [] }: Trip): boolean {
  return of.length === 0 ? isLimit(guard) : of.every(isLimit)
}
