import type { Guard } from '../core/guard.ts'
import type { Severity } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import { byDefault, type EntriesOf, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { runOdds } from './odds/own-odds.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface CircuitBreakerOptions {
  /** Failed iterations in a row without a better score. Default 8. */
  readonly failuresMax?: number
  /** Default `trip`. */
  readonly severity?: Severity
}

/**
 * Trips when iteration after iteration fails and none scores better than the best before. A loop that still gets better is never
 * broken, however often it fails. At its default it leaves the decision to `worthContinuing` wherever that decides and the odds are
 * known; another number always counts.
 *
 * @part circuitBreaker
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): Guard {
  const { failuresMax, severity } = readOptions('circuitBreaker', SETTINGS, options)
  return {
    spec: { name: 'circuitBreaker', v: 1, severity, settings: { failuresMax } },
    inspect: (state) => {
      const { betterScore } = state.measures
      if (betterScore.failures < failuresMax || (failuresMax === FAILURES_MAX && isDecidedByOdds(state))) return []
      const to = betterScore.failures + failuresMax
      const score = Number(betterScore.best.toFixed(3))
      return [
        {
          guard: 'circuitBreaker',
          severity,
          code: 'circuitBreaker.failures',
          message: `${betterScore.failures} failed iterations in a row, none better than a score of ${score}.`,
          evidence: { facts: betterScore.facts, measures: { failures: betterScore.failures, failuresMax, bestScore: score } },
          hint: `One more passing test would let it continue, or a circuit breaker that allows more than ${betterScore.failures} failures.`,
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

/** Measured on recorded loops, the odds stop more that is wasted and lose fewer successes than any count of failures. */
function isDecidedByOdds(state: State): boolean {
  const isDeciding = state.config.guards.some(({ name, severity }) => name === 'worthContinuing' && severity === 'trip')
  return isDeciding && runOdds(state)?.status === 'known'
}

const FAILURES_MAX = 8

const SETTINGS = settingsSchema({
  failuresMax: byDefault(wholeNumber(1), FAILURES_MAX, 'Failed iterations in a row without a better score'),
  severity: severityOf('trip'),
} satisfies EntriesOf<CircuitBreakerOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings circuitBreaker
 */
export const circuitBreakerSettings: GuardSettings = { schema: SETTINGS, place: 2 }
