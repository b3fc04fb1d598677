import type { Guard } from '../core/guard.ts'
import { type OptionKinds, SEVERITY } from '../core/option-kinds.ts'
import { requireOptions } from '../core/require-options.ts'
import { requirePositiveInteger } from '../core/require.ts'
import type { Severity } from '../core/trip.ts'

export interface CircuitBreakerOptions {
  /** Failed iterations in a row without a better score. Default 8. */
  readonly failuresMax?: number
  /** Default `trip`. */
  readonly severity?: Severity
}

/**
 * Trips when iteration after iteration fails and none scores better than the best before. A loop that still gets better is never
 * broken, however often it fails.
 *
 * @part circuitBreaker
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): Guard {
  requireOptions('circuitBreaker', options, OPTIONS)
  const { failuresMax = 8, severity = 'trip' } = options
  requirePositiveInteger('circuitBreaker', 'failuresMax', failuresMax)
  return {
    spec: { name: 'circuitBreaker', v: 1, severity, settings: { failuresMax } },
    inspect: ({ measures: { betterScore } }) => {
      if (betterScore.failures < failuresMax) return []
      const to = betterScore.failures + failuresMax
      const score = Number(betterScore.best.toFixed(3))
      return [
        {
          guard: 'circuitBreaker',
          severity,
          message: `${betterScore.failures} failed iterations in a row, none better than a score of ${score}.`,
          evidence: { facts: betterScore.facts, measures: { failures: betterScore.failures, failuresMax, bestScore: score } },
          hint: `One more passing test would have let it go on, or a circuit breaker that allows more than ${betterScore.failures} failures.`,
          raise: {
            guard: 'circuitBreaker',
            setting: 'failuresMax',
            to,
            label: `up to ${to} failures in a row without a better score`,
          },
        },
      ]
    },
  }
}

const OPTIONS: OptionKinds<CircuitBreakerOptions> = { failuresMax: true, severity: SEVERITY }
