import type { Guard } from '../../core/guard.ts'
import { freshIterations } from '../../core/measures/fresh-iterations.ts'
import { checkCircuitBreaker } from '../../core/safety/check-circuit-breaker.ts'
import { checkMaxIterations } from '../../core/safety/check-max-iterations.ts'
import { checkQualityRegression } from '../../core/safety/check-quality-regression.ts'
import { checkThrashing } from '../../core/safety/check-thrashing.ts'
import type { IterationHistoryEntry } from '../../core/safety/iteration-history-entry.ts'
import type { State } from '../../core/state.ts'
import type { Trip } from '../../core/trip.ts'

/** The names by which `iteration_next` says what blocks, in the order in which they count. */
export const BLOCKED_BY: Readonly<Record<string, string>> = {
  maxIterations: 'max_iterations',
  circuitBreaker: 'circuit_breaker',
  qualityRegression: 'quality_regression',
  thrashing: 'thrashing',
}

/**
 * A guard that also holds where the safety check of the same name forbids the next iteration, and then says it in that check's words.
 * Guards without such a check, and those that only warn, stay as they are.
 */
export function safetyGuard(guard: Guard): Guard {
  const { name, severity } = guard.spec
  const check = CHECKS[name]
  if (!check || severity !== 'trip') return guard
  return {
    ...guard,
    inspect: (state) => {
      const [trip] = guard.inspect(state)
      const message = state.current.ended ? check(state, guard.spec.settings) : undefined
      if (message === undefined) return trip ? [trip] : []
      return [{ ...(trip ?? bareTrip(guard, state)), message }]
    },
  }
}

type Settings = Guard['spec']['settings']

const CHECKS: Readonly<Record<string, (state: State, settings: Settings) => string | undefined>> = {
  maxIterations: ({ current }, { iterationsMax }) => checkMaxIterations(current.number + 1, Number(iterationsMax)).message,
  circuitBreaker: (state, { failuresMax }) => checkCircuitBreaker(historyOf(state), Number(failuresMax)).message,
  qualityRegression: (state) => checkQualityRegression(historyOf(state)).message,
  thrashing: (state, { timesMin }) => checkThrashing(historyOf(state), Number(timesMin)).message,
}

/** The finished iterations as the safety checks look at them. What came before a person stepped in no longer counts. */
function historyOf(state: State): readonly IterationHistoryEntry[] {
  return freshIterations(state).map(({ iteration, verdict, files }) => ({
    iteration,
    validationResult: { passed: verdict.passed, score: verdict.score },
    filesModified: files,
  }))
}

/** Where our own guard of that name would have let it go on: the score still gets better, for one. */
function bareTrip({ spec: { name, severity, settings } }: Guard, state: State): Omit<Trip, 'message'> {
  const iterations = freshIterations(state)
  const facts = iterations.map(({ seq }) => seq)
  const [setting, value] = Object.entries(settings)[0] ?? []
  const hint = 'A person may let it go on; the count then begins anew.'
  const evidence = { facts, measures: { iterations: iterations.length } }
  if (setting === undefined || typeof value !== 'number') return { guard: name, severity, evidence, hint }
  const to = value * 2
  return { guard: name, severity, evidence, hint, raise: { guard: name, setting, to, label: `with ${setting} ${to}` } }
}
