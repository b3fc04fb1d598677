import type { Guard } from '../../core/guard.ts'
import { freshIterations } from '../../core/measures/fresh-iterations.ts'
import { checkCircuitBreaker } from './check-circuit-breaker.ts'
import { checkMaxIterations } from './check-max-iterations.ts'
import { checkQualityRegression } from './check-quality-regression.ts'
import { checkThrashing } from './check-thrashing.ts'
import type { IterationHistoryEntry } from './iteration-history-entry.ts'
import type { State } from '../../core/state.ts'
import type { Trip } from '../../core/trip.ts'

/**
 * A guard that also holds where the safety check of the same name forbids the next iteration, and then says it in that check's words.
 * Its data says so (`isStrict`), so whoever builds it from the journal gets the same. Guards without such a check, and those that only
 * warn, stay as they are.
 */
export function strictGuard(guard: Guard): Guard {
  const { spec } = guard
  const check = CHECKS[spec.name]
  if (!check || spec.severity !== 'trip') return guard
  return {
    ...guard,
    spec: { ...spec, settings: { ...spec.settings, isStrict: true } },
    inspect: (state) => {
      const [trip] = guard.inspect(state)
      const message = state.current.ended ? check(state, spec.settings) : undefined
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
    // Work that passes is no thrashing, however often it touches a file.
    filesModified: verdict.passed ? [] : files,
  }))
}

/** Where our own guard of that name would have let it go on: the score still gets better, for one. */
function bareTrip({ spec: { name, severity, settings } }: Guard, state: State): Omit<Trip, 'message'> {
  const iterations = freshIterations(state)
  const facts = iterations.map(({ seq }) => seq)
  const [setting, value] = Object.entries(settings).find(([, each]) => typeof each === 'number') ?? []
  const hint = 'A person may let it go on; the count then begins anew.'
  const evidence = { facts, measures: { iterations: iterations.length } }
  if (setting === undefined || typeof value !== 'number') return { guard: name, severity, evidence, hint }
  const to = value * 2
  return { guard: name, severity, evidence, hint, raise: { guard: name, setting, to, label: `${setting} ${to}` } }
}
