import type { Seq } from './event.ts'
import type { JsonObject } from './json.ts'
import type { Raise } from './question.ts'

/** `trip` decides; `warn` nudges the agent through the next brief, once. */
export type Severity = 'warn' | 'trip'

/** A guard's answer: what is true of the run so far, never what to do about it. */
export interface Trip {
  readonly guard: string
  readonly severity: Severity
  /** What the guard is about, where one guard watches several things (`costUsd`). */
  readonly topic?: string
  /** What happened. */
  readonly message: string
  /** On what evidence: numbers, and the facts they come from. */
  readonly evidence: { readonly facts: readonly Seq[]; readonly measures: JsonObject }
  /** What would have let it go on. */
  readonly hint: string
  /** The same as data, where raising a setting is enough. */
  readonly raise?: Raise
  /** Set when a pass cannot be believed because of it: then success does not outrank it. */
  readonly disputesPass?: true
}

/** Names what a trip is about: the guard, and the topic where it watches several things. */
export function tripTopic(trip: Trip): string {
  return trip.topic === undefined ? trip.guard : `${trip.guard}:${trip.topic}`
}
