import { performance } from 'node:perf_hooks'
import type { ProcessIdentity } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Report, ReportParser } from '../checks/check.ts'
import { runCommand } from '../process/run-command.ts'
import type { Failure } from '../core/failure.ts'

export interface RunCheckOptions {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly parsers: readonly ReportParser[]
  /** Called before the check starts, so that the next call can end it if this one is killed. */
  readonly onStarted: (identity: ProcessIdentity) => void
}

/** Runs the check once, with a timeout. Rejects if it can't be started; `undefined` if the signal ended it. */
export async function runCheck(options: RunCheckOptions): Promise<CheckOutcome | undefined> {
  const begun = performance.now()
  const { command, cwd, env, timeoutMs, signal, parsers, onStarted } = options
  const result = await runCommand({
    command,
    cwd,
    // Python detects stale byte code by size and second, which two quick one-character edits don't change.
    env: { ...env, PYTHONDONTWRITEBYTECODE: '1' },
    timeoutMs,
    graceMs: 200,
    outputBytesMax: 2 * 1024 * 1024,
    signal,
    onStarted: async (identity) => onStarted(identity),
  })
  if (result.status === 'could-not-start') {
    throw new PawlError('tinker.check.start', `The check cannot be run: ${result.message}`, { value: command })
  }
  if (result.status === 'aborted') return undefined
  const output = result.output.text
  const passed = result.status === 'exited' && result.exitCode === 0
  const report = readReport(parsers, output, passed)
  const durationMs = performance.now() - begun
  return { passed, timedOut: result.status === 'timed-out', output, durationMs, ...(report ? { report } : {}) }
}

function readReport(parsers: readonly ReportParser[], output: string, passed: boolean): Report | undefined {
  for (const parser of parsers) {
    const report = parser(output)
    // A text parser may find "failed" anywhere; trust the exit code instead.
    if (report && !(passed && report.counts.passed === 0 && report.counts.failed > 0)) return report
  }
  return undefined
}

/** The result of one run of the check. */
export interface CheckOutcome {
  readonly passed: boolean
  readonly timedOut: boolean
  readonly output: string
  readonly durationMs: number
  /** Absent if no parser understands the output; then the check counts as one test. */
  readonly report?: Report
}

/** How many tests fail; at least one if the check fails. */
function failingCount({ passed, report }: CheckOutcome): number {
  if (passed) return 0
  return Math.max(1, report?.counts.failed ?? 0)
}

/** The reported failures; none if the output couldn't be parsed. */
export function failuresOf({ report }: CheckOutcome): readonly Failure[] {
  return report?.failures ?? []
}

/** `2 of 5 tests fail`, or a wording that fits a check without test counts. */
export function describeOutcome(outcome: CheckOutcome): string {
  const { passed, report, timedOut } = outcome
  if (timedOut) return 'the check did not end in time'
  if (!report) return passed ? 'the check passes' : 'the check fails'
  const total = report.counts.passed + report.counts.failed
  if (passed) return total === 1 ? 'the test passes' : `all ${total} tests pass`
  return total <= 1 || report.counts.failed === 0 ? 'the check fails' : `${report.counts.failed} of ${total} tests fail`
}

/**
 * Whether an edit helped: fewer tests fail, no other test fails, and none disappeared. An edit that stops tests from running
 * also makes fewer of them fail; that is no improvement.
 */
export function isBetter(after: CheckOutcome, before: CheckOutcome): boolean {
  if (after.timedOut || failingCount(after) >= failingCount(before)) return false
  const passedBefore = before.report?.counts.passed ?? 0
  // If no passing tests were counted before (no report, or a runner that names only failures), none can be missing.
  if (!before.report || (after.passed && passedBefore === 0)) return true
  if (!after.report || after.report.counts.skipped > before.report.counts.skipped) return false
  const known = new Set(before.report.failures.map(({ id }) => id))
  if (after.report.failures.some(({ id }) => !known.has(id))) return false
  return passedBefore === 0 || after.report.counts.passed > passedBefore
}

/**
 * What an unhelpful try did. `same`: the failing tests fail as before. `moved`: they fail differently, and others fail too.
 * `closer`: they fail differently, and no other test fails. `broke`: the program no longer runs. `half`: the test with a ruling
 * passes, but others fail because of it.
 */
export type TryEffect = 'same' | 'moved' | 'closer' | 'broke' | 'half'

/** What an unhelpful try did to the failing tests. */
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

/** A failure's message and values without line numbers, which edits may shift. */
export function signature({ message, expected, received }: Failure): string {
  return [message.replace(/:\d+(?::\d+)?/g, ''), expected, received].join('\n')
}
