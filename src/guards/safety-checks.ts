import { wholeNumber } from '../schema/kinds.ts'
import { requireKind } from '../schema/read-options.ts'
import { initialTrend, isDeclining, TREND_WINDOW, trendWith } from '../core/measures/measures.ts'
import type { Guard } from '../core/guard.ts'
import { freshIterations } from '../core/measures/last-iterations.ts'
import type { State } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'

/** How a loop of iterations is limited. */
export interface IterationConfig {
  readonly maxIterations: number
  /** What the agent says when it is done; no safety check looks at it. */
  readonly completionPromises: readonly string[]
  /** No safety check looks at these either. */
  readonly validationRules?: readonly { readonly type: string; readonly name: string; readonly config: object }[]
  /** Failures in a row. Default 3. */
  readonly circuitBreakerThreshold?: number
}

export interface CombinedSafetyResult {
  readonly canContinue: boolean
  readonly blockedBy?: 'max_iterations' | 'circuit_breaker' | 'quality_regression' | 'thrashing'
  readonly message?: string
}

/** Whether iteration `iterationNumber` may begin: the first of maximum, circuit breaker, regression and thrashing that forbids it says so. */
export function runSafetyChecks(
  iterationNumber: number,
  config: IterationConfig,
  history: readonly IterationHistoryEntry[],
): CombinedSafetyResult {
  const maximum = checkMaxIterations(iterationNumber, config.maxIterations)
  if (!maximum.allowed) return blocked('max_iterations', maximum)
  const breaker = checkCircuitBreaker(history, config.circuitBreakerThreshold)
  if (breaker.open) return blocked('circuit_breaker', breaker)
  const quality = checkQualityRegression(history)
  if (quality.regression) return blocked('quality_regression', quality)
  const churn = checkThrashing(history)
  if (churn.thrashing) return blocked('thrashing', churn)
  return { canContinue: true }
}

function blocked(
  blockedBy: NonNullable<CombinedSafetyResult['blockedBy']>,
  { message = '' }: { readonly message?: string },
): CombinedSafetyResult {
  return { canContinue: false, blockedBy, message }
}

export interface SafetyCheckResult {
  readonly allowed: boolean
  /** Why not; only when it is not allowed. */
  readonly message?: string
}

/** Forbids every iteration above the maximum: with 5, the sixth. */
export function checkMaxIterations(currentIteration: number, maxIterations: number): SafetyCheckResult {
  requireKind('checkMaxIterations', 'currentIteration', currentIteration, wholeNumber(0))
  requireKind('checkMaxIterations', 'maxIterations', maxIterations, wholeNumber(1))
  if (currentIteration <= maxIterations) return { allowed: true }
  return {
    allowed: false,
    message: `Iteration ${currentIteration} exceeds maximum of ${maxIterations}. Circuit breaker triggered.`,
  }
}

export interface CircuitBreakerResult {
  readonly open: boolean
  readonly consecutiveFailures: number
  /** Only when it is open. */
  readonly message?: string
}

/** Opens when the last `threshold` iterations (default 3) failed, one after the other. What neither passed nor failed is passed over. */
export function checkCircuitBreaker(iterationHistory: readonly IterationHistoryEntry[], threshold = 3): CircuitBreakerResult {
  requireKind('checkCircuitBreaker', 'threshold', threshold, wholeNumber(1))
  const results = iterationHistory.map((entry) => entry.validationResult?.passed).filter((passed) => typeof passed === 'boolean')
  const consecutiveFailures = results.length - 1 - results.lastIndexOf(true)
  if (consecutiveFailures < threshold) return { open: false, consecutiveFailures }
  const message = `Circuit breaker OPEN: ${consecutiveFailures} consecutive validation failures (threshold: ${threshold}). Manual intervention required.`
  return { open: true, consecutiveFailures, message }
}

export interface QualityRegressionResult {
  readonly regression: boolean
  /** Steps inside the window that did not go up; 0 when there is no regression. */
  readonly consecutiveDeclines: number
  /** Only when there is one. */
  readonly message?: string
}

/** Holds when the last three scores are all below the best before them and none is better than the one before it. */
export function checkQualityRegression(iterationHistory: readonly IterationHistoryEntry[]): QualityRegressionResult {
  const trend = iterationHistory
    .flatMap((entry) => scoreOf(entry.validationResult ?? {}) ?? [])
    .reduce((seen, score, index) => trendWith(seen, score, index), initialTrend)
  if (!isDeclining(trend)) return { regression: false, consecutiveDeclines: 0 }
  const consecutiveDeclines = TREND_WINDOW - 1
  const message = `Quality regression detected: Validation scores declined ${consecutiveDeclines} consecutive times. Consider changing approach.`
  return { regression: true, consecutiveDeclines, message }
}

function scoreOf({ passed, score }: ValidationResult): number | undefined {
  return score ?? (passed === undefined ? undefined : Number(passed))
}

export interface ThrashingResult {
  readonly thrashing: boolean
  /** Files changed too often, in the order they first came up. */
  readonly affectedFiles: readonly string[]
  /** Only when there are some. */
  readonly message?: string
}

/** Holds when a file was changed in `threshold` iterations (default 5) or more. A file counts once an iteration. */
export function checkThrashing(iterationHistory: readonly IterationHistoryEntry[], threshold = 5): ThrashingResult {
  requireKind('checkThrashing', 'threshold', threshold, wholeNumber(1))
  const counts = new Map<string, number>()
  for (const path of iterationHistory.flatMap((entry) => [...filesOf(entry)])) counts.set(path, (counts.get(path) ?? 0) + 1)
  const affectedFiles = [...counts].filter(([, count]) => count >= threshold).map(([path]) => path)
  if (affectedFiles.length === 0) return { thrashing: false, affectedFiles }
  const message = `Thrashing detected: ${affectedFiles.length} file(s) modified ${threshold}+ times without progress: ${affectedFiles.join(', ')}`
  return { thrashing: true, affectedFiles, message }
}

/** What the workspace reports, and what messages name as `file: path`. */
function filesOf({ filesModified = [], validationResult: { flags = [] } = {} }: IterationHistoryEntry): ReadonlySet<string> {
  const named = flags.flatMap(({ message }) =>
    [...message.matchAll(FILE)].map((match) => (match[2] ?? match[3] ?? '').replace(AFTER, '')),
  )
  return new Set([...filesModified, ...named.filter((path) => path !== '')])
}

/** A name in quotes is taken whole, blanks and all. */
const FILE = /\bfile:\s*(?:(["'`])([^"'`\n]+)\1|["'`(]?([^\s"'`,;)]+))/gi

/** A place in the file (`:12:3`) and the end of a sentence are no part of a path. */
const AFTER = /(?::\d+)*[.:!?]*$/

/** One iteration as the safety checks look at it. */
export interface IterationHistoryEntry {
  readonly iteration: number
  /** Missing, as in an entry written before anything was validated: neither a pass nor a failure. */
  readonly validationResult?: ValidationResult
  /** What the workspace says was changed; each file counts once for the iteration. */
  readonly filesModified?: readonly string[]
  readonly timestamp?: string
  readonly checkpointId?: string
}

export interface ValidationResult {
  /** Missing is neither a pass nor a failure. */
  readonly passed?: boolean
  /** How good it is, 0..1. Default: 1 for a pass, 0 for a failure. */
  readonly score?: number
  /** What was found; a `file: path` in a message counts as a changed file. */
  readonly flags?: readonly { readonly message: string; readonly ruleName?: string; readonly severity?: string }[]
}

/**
 * A guard that also holds where the safety check of the same name forbids the next iteration, and then says it in that check's words.
 * Its data says so (`isStrict`), so building it from the journal gives the same. Guards without such a check, and those that only
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

/** Where our own guard of that name would let it continue: the score still gets better, for one. */
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
