import type { Failure } from '../core/failure.ts'
import type { Report } from '../checks/check.ts'
import type { TryEffect } from './pick-next.ts'

/** What one run of the check came to. */
export interface CheckOutcome {
  readonly passed: boolean
  readonly timedOut: boolean
  readonly output: string
  readonly durationMs: number
  /** Absent where no parser knows the output; then the check counts as one test. */
  readonly report?: Report
}

/** How many tests fail; at least one while the check does not pass. */
function failingCount({ passed, report }: CheckOutcome): number {
  if (passed) return 0
  return Math.max(1, report?.counts.failed ?? 0)
}

/** The failures as reported, none where the output could not be read. */
export function failuresOf({ report }: CheckOutcome): readonly Failure[] {
  return report?.failures ?? []
}

/** `2 of 5 tests fail`, in words that are true for every kind of check. */
export function describeOutcome(outcome: CheckOutcome): string {
  const { passed, report, timedOut } = outcome
  if (timedOut) return 'the check did not end in time'
  if (!report) return passed ? 'the check passes' : 'the check fails'
  const total = report.counts.passed + report.counts.failed
  if (passed) return `all ${total} tests pass`
  return total <= 1 || report.counts.failed === 0 ? 'the check fails' : `${report.counts.failed} of ${total} tests fail`
}

/**
 * Whether an edit helped: fewer tests fail, none fails that did not fail before, and none was lost. An edit that stops tests
 * from running makes fewer of them fail too; that is no improvement.
 */
export function isBetter(after: CheckOutcome, before: CheckOutcome): boolean {
  if (after.timedOut || failingCount(after) >= failingCount(before)) return false
  const passedBefore = before.report?.counts.passed ?? 0
  // Where no passing test was counted before (no report, or a runner that names failures only) none can be missed.
  if (!before.report || (after.passed && passedBefore === 0)) return true
  if (!after.report || after.report.counts.skipped > before.report.counts.skipped) return false
  const known = new Set(before.report.failures.map(({ id }) => id))
  if (after.report.failures.some(({ id }) => !known.has(id))) return false
  return passedBefore === 0 || after.report.counts.passed > passedBefore
}

/** What a try that did not help did to the tests that fail. */
export function effectOf(after: CheckOutcome, before: CheckOutcome): TryEffect {
  if (!before.report) return 'same'
  if (
    !after.report ||
    after.report.counts.passed + after.report.counts.failed < before.report.counts.failed + before.report.counts.passed
  )
    return 'broke'
  const present = new Map(after.report.failures.map((failure) => [failure.id, signature(failure)]))
  if (before.report.failures.every((failure) => present.get(failure.id) === signature(failure))) return 'same'
  const known = new Set(before.report.failures.map(({ id }) => id))
  return after.report.failures.every(({ id }) => known.has(id)) ? 'closer' : 'moved'
}

/** What a failure says, without places: an edit may move lines. */
export function signature({ message, expected, received }: Failure): string {
  return [message.replace(/:\d+(?::\d+)?/g, ''), expected, received].join('\n')
}
