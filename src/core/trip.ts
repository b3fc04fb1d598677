import type { GuardSpec, Severity } from './run-config.ts'
import type { Seq } from './event.ts'
import type { JsonObject } from './json.ts'
import type { Raise } from './question.ts'

/** A guard's answer: what is true of the run so far, never what to do about it. */
export interface Trip {
  readonly guard: string
  readonly severity: Severity
  /** What the guard is about, if it watches several things (`costUsd`). */
  readonly topic?: string
  /** Which of the guard's sentences `message` is: `budget.near`. Its values are in `evidence.measures`. Absent for a guard of your own. */
  readonly code?: string
  /** What happened. */
  readonly message: string
  /** On what evidence: numbers, and the facts they come from. */
  readonly evidence: { readonly facts: readonly Seq[]; readonly measures: JsonObject }
  /** What would let it continue. */
  readonly hint: string
  /** The same as data, where raising a setting is enough. */
  readonly raise?: Raise
  /** All that has to be raised, if that is more than one setting; then there is no `raise`. */
  readonly raises?: readonly Raise[]
  /** The guards that hold, if it is the trip of an `anyOf`: each of them alone would have tripped. */
  readonly of?: readonly string[]
  /** The guards that it combines, holding or not, if it is the trip of an `anyOf`, `allOf` or `not`. */
  readonly parts?: readonly string[]
  /** Set when a pass cannot be believed because of it: then success does not outrank it. */
  readonly disputesPass?: true
}

/** Everything that has to be raised for it to continue; empty if raising does not help. */
export function raisesOf({ raise, raises = [] }: Trip): readonly Raise[] {
  return raise ? [raise, ...raises] : raises
}

/** The guards that hold: the one that says so, and those it is made of. */
export function guardsIn({ guard, of = [] }: Trip): readonly string[] {
  return [guard, ...of]
}

/** Names what a trip is about: the guard, and the topic if it watches several things. */
export function tripTopic(trip: Trip): string {
  return trip.topic === undefined ? trip.guard : `${trip.guard}:${trip.topic}`
}

/** The names under which a guard's trips are in the journal: a ladder speaks for its part, a combination has its own name. */
export function tripNames({ name, settings, parts = [] }: GuardSpec): readonly string[] {
  switch (name) {
    case 'custom':
      return [String(settings['name'])]
    case 'ladder':
      return parts.flatMap(tripNames)
    case 'anyOf':
    case 'allOf':
    case 'not':
      return [`${name}(${parts.map((part) => part.name).join(', ')})`]
    default:
      return [name]
  }
}

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
