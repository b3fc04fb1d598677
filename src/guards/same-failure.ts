import type { Guard } from '../core/guard.ts'
import type { Severity } from '../core/run-config.ts'
import { byDefault, type EntriesOf, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface SameFailureOptions {
  /** Iterations in a row that ended with the same failures. Default 3. */
  readonly repeatsMin?: number
  /** Default `warn`: only warns the agent; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when iterations in a row end with exactly the same failures: the same tests with the same messages, noise left out.
 *
 * @part sameFailure
 */
export function sameFailure(options: SameFailureOptions = {}): Guard {
  const { repeatsMin, severity } = readOptions('sameFailure', SETTINGS, options)
  return {
    spec: { name: 'sameFailure', v: 1, severity, settings: { repeatsMin } },
    inspect: ({ measures: { sameFailure: measure } }) => {
      if (measure.count < repeatsMin) return []
      const to = measure.count + repeatsMin
      return [
        {
          guard: 'sameFailure',
          severity,
          code: 'sameFailure.repeats',
          message: `The same failure ${measure.count} iterations in a row: ${measure.example}`,
          evidence: { facts: measure.facts, measures: { repeats: measure.count, repeatsMin, fingerprint: measure.fingerprint } },
          hint: 'Any change in what fails would let it continue: what was tried so far does not touch the cause, so try something else.',
          raise: { guard: 'sameFailure', setting: 'repeatsMin', to, label: `up to ${to} times the same failure in a row` },
        },
      ]
    },
  }
}

const SETTINGS = settingsSchema({
  repeatsMin: byDefault(wholeNumber(2), 3, 'Iterations in a row that end with the same failures'),
  severity: severityOf('warn'),
} satisfies EntriesOf<SameFailureOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings sameFailure
 */
export const sameFailureSettings: GuardSettings = { schema: SETTINGS, place: 4 }
