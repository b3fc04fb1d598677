import type { Guard } from '../core/guard.ts'
import { type OptionKinds, SEVERITY } from '../core/option-kinds.ts'
import { requireOptions } from '../core/require-options.ts'
import { requireIntegerAtLeast } from '../core/require.ts'
import type { Severity } from '../core/trip.ts'

export interface SameFailureOptions {
  /** Iterations in a row that ended with the same failures. Default 3. */
  readonly repeatsMin?: number
  /** Default `warn`: the agent is told; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when iterations in a row end with exactly the same failures: the same tests with the same messages, noise left out.
 *
 * @part sameFailure
 */
export function sameFailure(options: SameFailureOptions = {}): Guard {
  requireOptions('sameFailure', options, OPTIONS)
  const { repeatsMin = 3, severity = 'warn' } = options
  requireIntegerAtLeast('sameFailure', 'repeatsMin', repeatsMin, 2)
  return {
    spec: { name: 'sameFailure', v: 1, severity, settings: { repeatsMin } },
    inspect: ({ measures: { sameFailure: measure } }) => {
      if (measure.count < repeatsMin) return []
      const to = measure.count + repeatsMin
      return [
        {
          guard: 'sameFailure',
          severity,
          message: `The same failure ${measure.count} iterations in a row: ${measure.example}`,
          evidence: { facts: measure.facts, measures: { repeats: measure.count, repeatsMin, fingerprint: measure.fingerprint } },
          hint: 'Any change in what fails would have let it go on: what was tried so far does not touch the cause, so try something else.',
          raise: { guard: 'sameFailure', setting: 'repeatsMin', to, label: `up to ${to} times the same failure in a row` },
        },
      ]
    },
  }
}

const OPTIONS: OptionKinds<SameFailureOptions> = { repeatsMin: true, severity: SEVERITY }
