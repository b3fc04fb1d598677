import type { Guard } from '../core/guard.ts'
import { FUNCTION, needed, type OptionKinds, SEVERITY, TEXT } from '../core/option-kinds.ts'
import { requireOptions } from '../core/require-options.ts'
import type { State } from '../core/state.ts'
import type { Severity, Trip } from '../core/trip.ts'

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
  requireOptions('customGuard', options, OPTIONS)
  const { name, severity = 'trip', inspect } = options
  return {
    spec: { name: CUSTOM, v: 1, severity, settings: { name } },
    inspect: (state) => {
      const trip = inspect(state)
      return trip ? [{ ...trip, guard: name, severity }] : []
    },
  }
}

const OPTIONS: OptionKinds<CustomGuardOptions> = { name: needed(TEXT), severity: SEVERITY, inspect: needed(FUNCTION) }

/** Marks a guard that exists only in a program. */
export const CUSTOM = 'custom'
