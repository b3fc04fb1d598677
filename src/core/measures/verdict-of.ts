import type { Failure } from '../failure.ts'
import { hidesTests } from './test-changes.ts'
import { isBeforeSuccess, type PartSpec } from '../run-config.ts'
import type { CheckRecord, State } from '../state.ts'
import { isForUnit } from '../unit.ts'
import type { Verdict } from '../verdict.ts'
import type { Ledger } from './ledger.ts'

/**
 * What the checks of an iteration add up to. The score is the share of tests that pass out of the most each check ever ran, so tests
 * that vanish or are skipped never raise it; a check without counts weighs as one test. No checks at all is not a pass, and neither is one
 * without those that run before a success (`late`, by name). These are the second half of the score: whoever gets as far as to have them
 * run is never worse off for what they find.
 */
export function verdictOf(checks: readonly CheckRecord[], ledger: Ledger, late: readonly string[] = []): Verdict {
  const haveAllRun = late.every((name) => checks.some((check) => check.name === name))
  const passed = checks.length > 0 && haveAllRun && checks.every((check) => check.passed)
  const failing = checks.reduce((sum, check) => sum + failingIn(check), 0)
  const first = checks.filter(({ name }) => !late.includes(name))
  const rest = checks.filter(({ name }) => late.includes(name))
  const share = late.length === 0 ? passingShare(checks, ledger) : (passingShare(first, ledger) + passingShare(rest, ledger)) / 2
  return { passed, score: passed ? share : Math.min(share, SCORE_FAILED_MAX), failing }
}

function passingShare(checks: readonly CheckRecord[], ledger: Ledger): number {
  const total = checks.reduce((sum, check) => sum + testsIn(check, ledger), 0)
  const passing = checks.reduce((sum, check) => sum + passingIn(check, ledger), 0)
  return passing / Math.max(total, 1)
}

/** The names of checks that run only before a success. */
export function lateChecks({ config, unit }: Pick<State, 'config' | 'unit'>): readonly string[] {
  const isDue = (spec: PartSpec): boolean => isBeforeSuccess(spec) && isForUnit(unit, spec)
  return config.checks.filter(isDue).map(({ settings }) => String(settings['name']))
}

/** Those that were not run in this iteration, since another failed. */
export function checksNotRun(state: State): readonly string[] {
  return lateChecks(state).filter((name) => !state.current.checks.some((check) => check.name === name))
}

/** What failed never scores as what passed. */
const SCORE_FAILED_MAX = 0.999

function testsIn(check: CheckRecord, ledger: Ledger): number {
  const ran = check.counts ? check.counts.passed + failingIn(check) : 1
  return Math.max(ran, ledger.checks[check.name]?.testsMax ?? 0)
}

/** A check that passed without saying how many tests it ran is taken at its word. Flaky tests neither raise nor lower the score. */
function passingIn(check: CheckRecord, ledger: Ledger): number {
  if (check.counts) return check.counts.passed + check.failures.filter(({ isFlaky }) => isFlaky).length
  return check.passed ? testsIn(check, ledger) : 0
}

function failingIn(check: CheckRecord): number {
  return check.passed ? 0 : Math.max(check.counts?.failed ?? 0, 1)
}

/**
 * How many tests of those that ran for the goal at first did not run in this iteration: code that does not load makes fewer of them fail,
 * and that is no progress. Reports of compilers and linters, which name failures only, tell of no tests.
 */
export function testsNotRun(state: State): number {
  return state.current.checks.reduce((sum, check) => sum + notRunIn(check, state), 0)
}

function notRunIn({ name, passed, counts, failures, isReview }: CheckRecord, { measures, baseline, recent }: State): number {
  const { checks } = measures.ledger
  const known = Object.hasOwn(checks, name) ? checks[name] : undefined
  const first = baseline?.failures ?? recent[0]?.failures
  if (isReview || !known?.start || !first || (passed && !counts)) return 0
  // A check that ran out of time or crashed counted no test.
  const ran = counts ? counts.passed + counts.failed - hiding(failures, counts.failed) : 0
  const ranFirst = known.start.passed + known.start.failed
  // Most iterations run them all, and nothing more need be known.
  if (ran >= ranFirst) return 0
  const before = [...(baseline?.failures ?? []), ...recent.flatMap((iteration) => iteration.failures)]
  const own = before.filter(({ id }) => Object.hasOwn(known.tests, id))
  if (known.start.passed === 0 && !own.some(({ kind }) => TESTS.has(kind))) return 0
  return Math.max(0, ranFirst - hiding(first, known.start.failed) - ran)
}

/** What could not be loaded counts as one that fails, and is no test. */
function hiding(failures: readonly Failure[], failed: number): number {
  return Math.min(failed, failures.filter(hidesTests).length)
}

const TESTS: ReadonlySet<Failure['kind']> = new Set(['assertion', 'exception', 'timeout'])
