import type { Guard } from '../core/guard.ts'
import { GUARD } from '../schema/part-kinds.ts'
import type { State } from '../core/state.ts'
import { type Trip, tripTopic } from '../core/trip.ts'
import { holding, watchOf } from './combine.ts'
import { byDefault, type EntriesOf, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions, requireKind } from '../schema/read-options.ts'

export interface LadderOptions {
  /** How many iterations the agent gets to act on the nudge. Default 2. */
  readonly patience?: number
}

/**
 * Lets a guard nudge first and decide later: what still holds `patience` iterations after the warning is a trip, which says
 * that telling did not help. What stops holding meanwhile starts over.
 */
export function ladder(guard: Guard, options: LadderOptions = {}): Guard {
  requireKind('ladder', 'its guard', guard, GUARD)
  const { patience } = readOptions('ladder', LADDER_SETTINGS, options)
  return {
    spec: { name: 'ladder', v: 1, severity: 'trip', settings: { patience }, parts: [guard.spec] },
    parts: [guard],
    inspect: (state) => holding(guard, state).map((trip) => onItsRung(trip, state, patience)),
    ...watchOf(guard, (trip, state) => (trip.severity === guard.spec.severity ? onItsRung(trip, state, patience) : trip)),
  }
}

/** The settings of a ladder of any guard. */
export const LADDER_SETTINGS = settingsSchema({
  patience: byDefault(wholeNumber(1), 2, 'Iterations that the agent gets to act on the warning'),
} satisfies EntriesOf<LadderOptions>)

function onItsRung(trip: Trip, { nudged, current }: State, patience: number): Trip {
  const topic = tripTopic(trip)
  const told = nudged.find((nudge) => nudge.topic === topic)
  if (told === undefined || current.number - told.iteration < patience) {
    const { disputesPass: _onlyWhenItDecides, ...nudge } = trip
    return { ...nudge, severity: 'warn' }
  }
  return {
    ...trip,
    severity: 'trip',
    code: 'ladder.no-help',
    message: `${trip.message.replace(/(?<![.!?:…])$/, '.')} The agent got a warning in iteration ${told.iteration}; it didn't help.`,
    evidence: { ...trip.evidence, measures: { ...trip.evidence.measures, toldInIteration: told.iteration, patience } },
  }
}

/**
 * The ladder as a run recorded it, around its guard.
 *
 * @part ladder
 */
export function ladderFrom(options: LadderOptions, [guard]: readonly Guard[]): Guard {
  return ladder(guard as Guard, options)
}
