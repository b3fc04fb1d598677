import type { Guard } from '../core/guard.ts'
import type { State } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'
import type { Severity } from '../core/run-config.ts'
import { type EntriesOf, FUNCTION, needed, settingsSchema, TEXT } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { severityOf } from './guard-settings.ts'

export interface CustomGuardOptions {
  /** Its name in the journal and in messages. */
  readonly name: string
  /** Default `trip`. */
  readonly severity?: Severity
  /** What holds now. Must be pure: no clock, no randomness, nothing kept between calls. */
  readonly inspect: (state: State) => Omit<Trip, 'guard' | 'severity'> | undefined
}

/** A guard of your own. Since it is a function of your program, only that program can resume a run that uses it. */
export function customGuard(options: CustomGuardOptions): Guard {
  const { name, severity } = readOptions('customGuard', SETTINGS, options)
  const { inspect } = options
  return {
    spec: { name: CUSTOM, v: 1, severity, settings: { name } },
    inspect: (state) => {
      const trip = inspect(state)
      return trip ? [{ ...trip, guard: name, severity }] : []
    },
  }
}

const SETTINGS = settingsSchema({
  name: needed(TEXT, 'Its name in the journal and in messages'),
  inspect: needed(FUNCTION, 'What holds now'),
  severity: severityOf('trip'),
} satisfies EntriesOf<CustomGuardOptions>)

/** Marks a guard that exists only in a program. */
export const CUSTOM = 'custom'
