import type { Guard } from '../core/guard.ts'
import { GUARDS } from './_guards.ts'
import { GUARD_SETTINGS } from './_settings.ts'
import type { GuardSettings } from './guard-settings.ts'

/** The name of a guard that has settings: of all but those that are made of other guards. */
export type GuardName = keyof typeof GUARD_SETTINGS

/** Their names: first those that every run has, in the order in which they report, then the others. */
export const GUARD_NAMES = (Object.keys(GUARD_SETTINGS) as readonly GuardName[]).toSorted(
  (one, other) => placeOf(one) - placeOf(other),
)

function placeOf(name: GuardName): number {
  return settingsOf(name).place ?? Infinity
}

/** What pawl.yaml, flags and the reference know of a guard. */
export function settingsOf(name: GuardName): GuardSettings {
  return GUARD_SETTINGS[name]
}

/** A guard with these settings, and defaults for the others. */
export function guardNamed(name: GuardName, options: object = {}): Guard {
  return GUARDS[name](options as never)
}

/**
 * The guards of a run unless it says otherwise: the maximum decides, so does a streak of failures without a better score, and you are
 * asked about a pass that tampering disputes; the others only warn.
 */
export function defaultGuards(): readonly Guard[] {
  return GUARD_NAMES.filter((name) => settingsOf(name).place !== undefined).map((name) => guardNamed(name))
}
