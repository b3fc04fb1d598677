import type { Failure } from '../failure.ts'
import type { CheckRecord, State } from '../state.ts'
import { hidesTests } from './test-changes.ts'

/**
 * How many tests of those that ran for the goal at first did not run in this iteration: code that does not load makes fewer of them fail,
 * and that is no progress. Reports of compilers and linters, which name failures only, tell of no tests.
 */
export function testsNotRun(state: State): number {
  return state.current.checks.reduce((sum, check) => sum + notRunIn(check, state), 0)
}

function notRunIn({ name, counts, failures, isReview }: CheckRecord, { measures, baseline, recent }: State): number {
  const { checks } = measures.ledger
  const known = Object.hasOwn(checks, name) ? checks[name] : undefined
  const first = baseline?.failures ?? recent[0]?.failures
  if (isReview || !known?.start || !counts || !first) return 0
  const ran = counts.passed + counts.failed - hiding(failures, counts.failed)
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
