import type { CheckRecord } from '../state.ts'
import type { Verdict } from '../verdict.ts'

/**
 * What the checks of an iteration add up to. The score is 1 when all passed; otherwise the share of tests that pass out of the most
 * ever seen, a check without counts weighing as one test. No checks at all is not a pass.
 */
export function verdictOf(checks: readonly CheckRecord[], testsMax: number): Verdict {
  const passed = checks.length > 0 && checks.every((check) => check.passed)
  const failing = checks.reduce((sum, check) => sum + failingIn(check), 0)
  if (passed) return { passed, score: 1, failing: 0 }
  const total = Math.max(testsIn(checks), testsMax, 1)
  const passing = checks.reduce((sum, check) => sum + passingIn(check), 0)
  return { passed, score: Math.min(passing / total, 0.999), failing }
}

/** How many tests the checks ran, skipped ones left out. */
export function testsIn(checks: readonly CheckRecord[]): number {
  return checks.reduce((sum, check) => sum + passingIn(check) + failingIn(check), 0)
}

function passingIn(check: CheckRecord): number {
  return check.counts ? check.counts.passed : Number(check.passed)
}

function failingIn(check: CheckRecord): number {
  if (check.passed) return 0
  return Math.max(check.counts?.failed ?? 0, 1)
}
