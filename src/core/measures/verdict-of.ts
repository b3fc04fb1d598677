import type { CheckRecord } from '../state.ts'
import type { Verdict } from '../verdict.ts'
import type { Ledger } from './ledger.ts'

/**
 * What the checks of an iteration add up to. The score is the share of tests that pass out of the most each check ever ran, so tests
 * that vanish or are skipped never raise it; a check without counts weighs as one test. No checks at all is not a pass.
 */
export function verdictOf(checks: readonly CheckRecord[], ledger: Ledger): Verdict {
  const passed = checks.length > 0 && checks.every((check) => check.passed)
  const failing = checks.reduce((sum, check) => sum + failingIn(check), 0)
  const total = checks.reduce((sum, check) => sum + testsIn(check, ledger), 0)
  const passing = checks.reduce((sum, check) => sum + passingIn(check, ledger), 0)
  const share = passing / Math.max(total, 1)
  return { passed, score: passed ? share : Math.min(share, SCORE_FAILED_MAX), failing }
}

/** What failed never scores as what passed. */
const SCORE_FAILED_MAX = 0.999

function testsIn(check: CheckRecord, ledger: Ledger): number {
  const ran = check.counts ? check.counts.passed + failingIn(check) : 1
  return Math.max(ran, ledger.checks[check.name]?.testsMax ?? 0)
}

/** A check that passed without saying how many tests it ran is taken at its word. */
function passingIn(check: CheckRecord, ledger: Ledger): number {
  if (check.counts) return check.counts.passed
  return check.passed ? testsIn(check, ledger) : 0
}

function failingIn(check: CheckRecord): number {
  return check.passed ? 0 : Math.max(check.counts?.failed ?? 0, 1)
}
