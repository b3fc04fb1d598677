import { isAbsolute, relative } from 'node:path'
import { FAILURES_KEPT_MAX } from '../core/event-data.ts'
import type { Failure, TestResult } from '../core/failure.ts'
import { TESTS_KEPT_MAX, type CheckResult, type Report } from './check.ts'
import { lastLines } from '../process/last-lines.ts'
import type { CommandResult } from '../process/run-command.ts'
import type { CheckReport } from './check-report.ts'

export type RanCheck = Exclude<CommandResult, { status: 'aborted' | 'could-not-start' }>

export interface EndedCheck {
  readonly name: string
  readonly timeoutMs: number
  /** Exit codes that mean that the work is right. */
  readonly successExitCodes: readonly number[]
  readonly cwd: string
  readonly result: RanCheck
  readonly read: CheckReport
}

/** Pass or fail, out of how the command ended and what its report says. A report that is not whole is never a pass. */
export function checkVerdict(ended: EndedCheck): CheckResult {
  const { name, cwd, result, read, successExitCodes } = ended
  const { report } = read
  const common = {
    ...(result.status === 'exited' && { exitCode: result.exitCode }),
    output: result.output,
    ...(report !== undefined && !isGeneral(report) && !read.isPartial && figuresOf(report, cwd)),
  }
  const failed = (failures: readonly Failure[]): CheckResult => ({
    status: 'failed',
    ...common,
    failures: failures.slice(0, FAILURES_KEPT_MAX).map((failure) => shortened(failure, cwd)),
  })
  if (result.status === 'exited' && successExitCodes.includes(result.exitCode) && !hasFailures(report)) {
    // Nothing run is a pass here: runners that find no tests exit with another code unless told otherwise, and a linter runs
    // none at all.
    const problem = read.problem ?? (report?.trouble && `The report cannot be believed whole: ${report.trouble}`)
    if (problem === undefined) return { status: 'passed', ...common }
    return {
      status: 'errored',
      fault: 'config',
      message: `${problem} Exit code 0 alone is no pass then.`,
      fix: REPORT_FIX,
      output: result.output,
    }
  }
  const saysNothing = report === undefined || report.failures.length === 0
  // Of a crash the signal says more than lines that look like errors.
  if (saysNothing || (isGeneral(report) && result.status === 'killed')) return failed([ownFailure(ended)])
  return failed(isGeneral(report) ? report.failures.map((failure) => ({ ...failure, id: name })) : report.failures)
}

/** What to do about a report that cannot be used. */
export const REPORT_FIX =
  'Let the command write its whole report anew each time, and correct report.file or report.format; or take `report` out, so that the exit code decides.'

/**
 * Whether a report is made of single lines, which a program that succeeded may print as well (a passing test of a compiler). Unless
 * it was asked for, it proves nothing against an exit code of 0; a report that counts tests does: `npm test || true`.
 */
export function isOfLines(report: Report | undefined): boolean {
  return report !== undefined && ['general', 'tsc', 'eslint', 'github'].includes(report.format)
}

/** Whether a report names what failed. */
export function hasFailures(report: Report | undefined): boolean {
  return report !== undefined && !isGeneral(report) && (report.counts.failed > 0 || report.failures.length > 0)
}

/** The fallback parser knows of no tests: its one failure gets the name of the check, and it counts nothing. */
function isGeneral(report: Report): boolean {
  return report.format === 'general'
}

function figuresOf({ counts, tests }: Report, cwd: string) {
  return { counts, ...(tests !== undefined && { tests: tests.slice(0, TESTS_KEPT_MAX).map((test) => shortenedTest(test, cwd)) }) }
}

function ownFailure({ name, timeoutMs, result, read, successExitCodes }: EndedCheck): Failure {
  const said = lastLines(result.output.text, 20, MESSAGE_CHARACTERS_MAX)
  const why = read.problem ?? read.report?.trouble
  const ending = [...(why === undefined ? [] : [why]), said === '' ? 'It printed nothing.' : said].join('\n')
  if (result.status === 'timed-out')
    return { id: name, kind: 'timeout', message: `Not done within ${timeoutMs / 1000} s.\n${ending}` }
  if (result.status === 'killed') return { id: name, kind: 'exception', message: `Crashed with ${result.signal}.\n${ending}` }
  const wanted = successExitCodes.includes(0) ? '' : `, not ${successExitCodes.join(' or ')}`
  return { id: name, kind: 'unknown', message: `Exit code ${result.exitCode}${wanted}.\n${ending}` }
}

const ID_CHARACTERS_MAX = 500
const MESSAGE_CHARACTERS_MAX = 2000

/**
 * Failures stand in events, so they are kept short; files are named from the folder, so that they are the same on every
 * machine.
 */
function shortened(failure: Failure, cwd: string): Failure {
  const { id, message, file, expected, received, frame } = failure
  return {
    ...failure,
    id: shortId(id, cwd),
    message: short(message, MESSAGE_CHARACTERS_MAX),
    ...(expected !== undefined && { expected: short(expected, 500) }),
    ...(received !== undefined && { received: short(received, 500) }),
    ...(file !== undefined && { file: fromFolder(file, cwd) }),
    ...(frame !== undefined && { frame: short(frame.replaceAll(`${cwd}/`, ''), 500) }),
  }
}

/** Its id stays the one of its failure. */
function shortenedTest({ id, outcome }: TestResult, cwd: string): TestResult {
  return { id: shortId(id, cwd), outcome }
}

/** JSON reports name files by their whole path: an id must be the same in every folder. */
function shortId(id: string, cwd: string): string {
  return short(id.replace(`${cwd}/`, ''), ID_CHARACTERS_MAX)
}

function short(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1).toWellFormed()}…` : text
}

function fromFolder(file: string, cwd: string): string {
  const path = isAbsolute(file) ? relative(cwd, file) : file
  return path.startsWith('..') ? file : path
}
