import { performance } from 'node:perf_hooks'
import type { ProcessIdentity } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Report, ReportParser } from '../checks/check.ts'
import { runCommand } from '../process/run-command.ts'
import type { CheckOutcome } from './check-outcome.ts'

export interface RunCheckOptions {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly parsers: readonly ReportParser[]
  /** Told before the check begins, so that the next call can end it should this one be killed. */
  readonly onStarted: (identity: ProcessIdentity) => void
}

/** Runs the check once, within its time. Rejects when it cannot be started at all; `undefined` when the signal ended it. */
export async function runCheck(options: RunCheckOptions): Promise<CheckOutcome | undefined> {
  const begun = performance.now()
  const { command, cwd, env, timeoutMs, signal, parsers, onStarted } = options
  const result = await runCommand({
    command,
    cwd,
    // Python tells stale byte code by size and second, which two quick edits of one character do not change.
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
    // A parser of prose finds words of failure anywhere; the exit code knows better.
    if (report && !(passed && report.counts.passed === 0 && report.counts.failed > 0)) return report
  }
  return undefined
}
