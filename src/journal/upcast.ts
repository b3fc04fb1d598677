import { type Event, EVENT_VERSION, type EventType, type StoredEvent } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { SessionUsage, Usage } from '../core/event-data.ts'
import { isCost, isSound, isTokenCount, soundUsage } from '../core/spending.ts'

/** Turns the data of one type of event from one version into that of the next. */
export interface Upcaster {
  readonly type: EventType
  /** The version it reads; it gives the one after. */
  readonly from: number
  up(data: unknown): unknown
}

/** Every change of an event's data since version 1, in one list. A type that is not named for a version did not change in it. */
export const UPCASTERS: readonly Upcaster[] = []

/**
 * Brings a stored event to the present version. Its `hash` stays the one it was written with. An event of a newer version is
 * refused with `journal.newer`: guessing what it means could decide wrongly. Amounts that cannot be any are left out.
 */
export function upcast(
  event: StoredEvent,
  upcasters: readonly Upcaster[] = UPCASTERS,
  version: number = EVENT_VERSION,
): Event & { readonly hash: string } {
  if (event.v > version) throw newer(event, version)
  let data = event.data
  for (let v = event.v; v < version; v++) {
    const upcaster = upcasters.find((each) => each.type === event.type && each.from === v)
    if (upcaster !== undefined) data = upcaster.up(data)
  }
  const present = event.v === version ? event : { ...event, v: version, data }
  return withSoundAmounts(present) as Event & { readonly hash: string }
}

function newer(event: StoredEvent, version: number): PawlError {
  return new PawlError(
    'journal.newer',
    `Event ${event.seq} of the run "${event.run}" was written by a newer Pawl (event version ${event.v}, this one reads up to ${version}): update Pawl to continue this run.`,
    { value: event.v },
  )
}

/**
 * An event without impossible amounts, which were once recorded as reported. The journal stays as it is; the same
 * event is given back if there is nothing to leave out.
 */
function withSoundAmounts(event: StoredEvent): StoredEvent {
  const { data } = event
  if (typeof data !== 'object' || data === null) return event
  const told = data as Usage & SessionUsage
  const isSumSound = told.sessionUsed === undefined || isSound(told.sessionUsed)
  if (isSound(told) && isSumSound) return event
  // What was not known of an iteration is 0 there; what is missing, the facts of its work say.
  if (event.type === 'iteration.ended') {
    const { costUsd, tokens } = told
    return { ...event, data: { ...told, costUsd: isCost(costUsd) ? costUsd : 0, tokens: isTokenCount(tokens) ? tokens : 0 } }
  }
  const { sessionUsed, ...rest } = soundUsage(told)
  return { ...event, data: { ...rest, ...(isSumSound && sessionUsed ? { sessionUsed } : {}) } }
}
