import { type Event, EVENT_VERSION, type EventType, type StoredEvent } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { withSoundAmounts } from './sound-amounts.ts'

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
    `Event ${event.seq} of the run "${event.run}" was written by a newer Pawl (event version ${event.v}, this one reads up to ${version}): update Pawl to go on with this run.`,
    { value: event.v },
  )
}
