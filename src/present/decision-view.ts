import type { DecisionMade } from '../core/event-data.ts'
import type { Event, Instant, Seq } from '../core/event.ts'
import type { State } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'

/** A decision with everything it rests on. */
export interface DecisionView extends Omit<DecisionMade, 'trips'> {
  readonly seq: Seq
  readonly at: Instant
  readonly trips: readonly TripView[]
}

/** What a guard said, with its place in the journal. */
export interface TripView extends Trip {
  readonly seq: Seq
  /** Whether a person had allowed it to be passed. */
  readonly isWaived: boolean
  /** Set when a person called it a false alarm. */
  readonly isDisputed?: true
}

/** Gathers decisions from a journal, event by event. */
export interface DecisionViews {
  take(event: Event, before: State | undefined): void
  readonly found: readonly DecisionView[]
}

/** None yet. */
export function decisionViews(): DecisionViews {
  const found: DecisionView[] = []
  let trips: readonly TripView[] = []
  return {
    found,
    take(event, before) {
      if (event.type === 'guard.tripped' || event.type === 'guard.nudged' || event.type === 'budget.warned') {
        const isWaived = event.type === 'guard.tripped' && (before?.waivers.includes(event.data.guard) ?? false)
        trips = [...trips, { ...event.data, seq: event.seq, isWaived }]
      } else if (event.type === 'decision.made') {
        const { iteration, action, message, basis } = event.data
        found.push({ seq: event.seq, at: event.at, iteration, action, message, basis: [...new Set(basis)], trips })
        trips = []
      } else if (event.type === 'guard.disputed') dispute(found, event.data.guard)
    },
  }
}

/** What a person calls wrong is what the guard said last. */
function dispute(found: DecisionView[], guard: string): void {
  const index = found.findLastIndex(({ trips }) => trips.some((trip) => trip.guard === guard))
  const decision = found[index]
  if (!decision) return
  const trips = decision.trips.map((trip) => (trip.guard === guard ? { ...trip, isDisputed: true as const } : trip))
  found[index] = { ...decision, trips }
}
