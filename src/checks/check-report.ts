import { isAbsolute, join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { FAILURES_KEPT_MAX } from '../core/event-data.ts'
import type { Failure, TestResult } from '../core/failure.ts'
import { didYouMean } from '../core/names.ts'
import { PawlError } from '../core/pawl-error.ts'
import { lastLines } from '../process/last-lines.ts'
import type { Captured, OutputSpool } from '../process/output.ts'
import type { CommandResult } from '../process/run-command.ts'
import { readWithoutSecrets } from '../secrets/report.ts'
import { type CheckResult, type Report, type ReportParser, TESTS_KEPT_MAX } from './check.ts'
import type { ReportFile } from './report-file.ts'

/** Where a check's report is, if not simply in the output. */
export interface ReportOptions {
  /** Name of the format, such as `junit`. Default: detected. */
  readonly format?: string
  /** The file that the command writes its report to, relative to the work's folder. Default: the report is in the output. */
  readonly file?: string
}

/** Formats and how to read them. */
export interface ReportParsers {
  /** Tried in this order; the first that understands the report wins. Default: all that Pawl knows. */
  readonly parsers?: readonly ReportParser[]
  /** The parser for `report.format`. Default: those that Pawl knows. */
  readonly parserNamed?: (name: string) => ReportParser | undefined
  /** The names that `parserNamed` knows, for a message about an unknown name. */
  readonly parserNames?: readonly string[]
}

/** A report as far as it could be read. */
export interface CheckReport {
  readonly report?: Report
  /** Why the requested report is missing or incomplete. Then exit code 0 proves nothing. */
  readonly problem?: string
  /** Set if the report can't be read at all, so that the exit code proves nothing either way. */
  readonly isFatal?: true
  /** Set if the text was cut: the report proves failures, but no counts. */
  readonly isPartial?: true
}

/** The parsers to try for `report`. Throws a `PawlError` for options that can't work. */
export function parsersFor(report: ReportOptions | undefined, { parsers = [], parserNamed, parserNames = [] }: ReportParsers) {
  const { format, file } = report ?? {}
  if (file !== undefined && (file.trim() === '' || /[*\0\n]/.test(file)))
    throw refused('report.file must be the path of one file, without wildcards.', report)
  if (format === undefined) {
    if (file !== undefined && parsers.length === 0) throw refused('report.file needs parsers to read it with.', report)
    return parsers
  }
  const parser = parserNamed?.(format)
  if (parser) return [parser]
  const names = parserNames.length === 0 ? '; none is known here' : didYouMean(format, parserNames)
  throw refused(`There is no report format "${format}"${names}`, report)
}

function refused(sentence: string, report: ReportOptions | undefined): PawlError {
  return new PawlError('check.command.report', sentence, { value: report })
}

export interface ReportSource {
  readonly options: ReportOptions | undefined
  readonly parsers: readonly ReportParser[]
  readonly file: ReportFile | undefined
  /** The whole output, if it was kept. */
  readonly spool: OutputSpool | undefined
  readonly output: Captured
  /** Whether the command's exit code says that the work is right. */
  readonly hasSucceeded: boolean
  /** Reports a parser that failed. */
  readonly say: (line: string) => void
}

/** Reads a check's report from its file, or from its output. */
export async function readCheckReport(source: ReportSource): Promise<CheckReport> {
  const { options, parsers, file, say } = source
  if (file !== undefined) {
    const reading = await file.read()
    const called = `The report ${options?.file}`
    if (reading.status !== 'read') {
      return { problem: `${called} ${reading.problem}.`, ...(reading.status === 'too-large' && { isFatal: true }) }
    }
    const report = await parseWith(parsers, reading.text, say)
    const isKnown = report !== undefined && report.format !== 'general'
    return isKnown ? { report } : { problem: `${called} is not in ${formatWanted(options)}.` }
  }
  const { output, spool, hasSucceeded } = source
  const read = hasSucceeded && options?.format === undefined ? parseSuccess : parseWith
  if (spool === undefined || output.bytesCut === 0) return asked(options, await read(parsers, output.text, say))
  if (spool.problem === undefined) return asked(options, await read(parsers, await spool.text(), say))
  const report = await read(parsers, output.text, say)
  return {
    ...(report && { report }),
    ...(options && { problem: `The output could not be read whole: ${spool.problem}.` }),
    isPartial: true,
  }
}

function asked(options: ReportOptions | undefined, report: Report | undefined): CheckReport {
  if (report !== undefined) return { report }
  return options === undefined ? {} : { problem: `There is no report in ${formatWanted(options)} in the output.` }
}

function formatWanted(options: ReportOptions | undefined): string {
  return options?.format === undefined ? 'a format that is known' : `the format ${options.format}`
}

type Say = (line: string) => void

/** The report of the first parser that understands the text, without secrets. */
export async function parseWith(parsers: readonly ReportParser[], text: string, say: Say): Promise<Report | undefined> {
  return await readWithoutSecrets(text, (each) => firstParsed(parsers, each, say)?.report)
}

/** The same for a command that succeeded. */
async function parseSuccess(parsers: readonly ReportParser[], text: string, say: Say): Promise<Report | undefined> {
  return await readWithoutSecrets(text, (each) => reportOfSuccess(parsers, each, say))
}

interface Parsed {
  readonly report: Report
  /** The parsers that were not tried. */
  readonly later: readonly ReportParser[]
}

function firstParsed(parsers: readonly ReportParser[], text: string, say: Say): Parsed | undefined {
  for (const [index, parser] of parsers.entries()) {
    try {
      const report = parser(text)
      if (report !== undefined) return { report, later: parsers.slice(index + 1) }
    } catch (error) {
      say(`A report parser failed and was passed over: ${(error as Error).message}`)
    }
  }
  return undefined
}

/**
 * What a passed run printed proves nothing against it, but a failure that another runner counts is a failure, even after a report that
 * passed: `vitest run; node --test`.
 */
function reportOfSuccess(parsers: readonly ReportParser[], text: string, say: Say): Report | undefined {
  const first = firstParsed(parsers, text, say)
  if (first === undefined || isOfLines(first.report)) return first?.report
  const rest = withoutPassedRuns(text)
  const outside = isClean(first.report) || rest === text ? undefined : firstParsed(parsers, rest, say)
  const believed = outside !== undefined && isClean(outside.report) && !isOfLines(outside.report) ? outside : first
  const { report } = believed
  if (!isClean(report)) return report
  // JUnit's XML contains what tests printed, as it is.
  const others = report.format === 'junit' ? rest.replaceAll(/<system-(out|err)>[^]*?<\/system-\1>/g, '') : rest
  for (const parser of believed.later) {
    const other = firstParsed([parser], others, say)?.report
    if (isOfLines(other)) break
    if (hasFailures(other)) return other
  }
  return report
}

function isClean(report: Report): boolean {
  return !hasFailures(report) && report.trouble === undefined
}

export type RanCheck = Exclude<CommandResult, { status: 'aborted' | 'could-not-start' }>

export interface EndedCheck {
  readonly name: string
  readonly timeoutMs: number
  /** Exit codes that mean that the work is right. */
  readonly successExitCodes: readonly number[]
  readonly cwd: string
  /** Where it ran, from there; empty for the same. */
  readonly folder?: string
  readonly result: RanCheck
  readonly read: CheckReport
}

/** Pass or fail, from how the command ended and what its report says. An incomplete report is never a pass. */
export function checkVerdict(ended: EndedCheck): CheckResult {
  const { name, cwd, folder = '', result, read, successExitCodes } = ended
  const { report } = read
  const common = {
    ...(result.status === 'exited' && { exitCode: result.exitCode }),
    output: result.output,
    ...(report !== undefined && !isGeneral(report) && !read.isPartial && figuresOf(report, cwd)),
  }
  const failed = (failures: readonly Failure[]): CheckResult => ({
    status: 'failed',
    ...common,
    failures: failures.slice(0, FAILURES_KEPT_MAX).map((failure) => shortened(failure, cwd, folder)),
  })
  if (result.status === 'exited' && successExitCodes.includes(result.exitCode) && !hasFailures(report)) {
    // Zero tests is a pass here: runners that find none exit with another code by default, and a linter runs none.
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
  // The signal of a crash says more than lines that look like errors.
  const isUnwantedZero = result.status === 'exited' && result.exitCode === 0
  if (saysNothing || (isGeneral(report) && (result.status === 'killed' || isUnwantedZero))) return failed([ownFailure(ended)])
  return failed(isGeneral(report) ? report.failures.map((failure) => ({ ...failure, id: name })) : report.failures)
}

/** What to do about an unusable report. */
export const REPORT_FIX =
  'Let the command write its whole report each time, and correct report.file or report.format; or take `report` out, so that the exit code decides.'

/**
 * Whether a report consists of single lines, which a successful program may also print (a passing test of a compiler). Unless the user
 * asked for it, it proves nothing against exit code 0; a report that counts tests does: `npm test || true`.
 */
export function isOfLines(report: Report | undefined): boolean {
  return report !== undefined && ['general', 'blocks', 'compiler', 'tsc', 'eslint', 'github'].includes(report.format)
}

/** Whether a report names what failed. */
export function hasFailures(report: Report | undefined): boolean {
  return report !== undefined && !isGeneral(report) && (report.counts.failed > 0 || report.failures.length > 0)
}

/** The fallback parser knows no tests: its single failure gets the check's name, and it counts nothing. */
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
  if (result.status === 'timed-out') {
    const hung = hungTest(result.output.text)
    const which = hung === undefined ? '' : ` "${hung}" began and did not end.`
    const way = 'If it needs longer, raise --check-timeout, or `timeout` of the check in pawl.yaml.'
    return { id: name, kind: 'timeout', message: `Not done within ${timeoutMs / 1000} s.${which} ${way}\n${ending}` }
  }
  if (result.status === 'killed') return { id: name, kind: 'exception', message: `Crashed with ${result.signal}.\n${ending}` }
  const wanted = successExitCodes.includes(0) ? '' : `, wanted ${successExitCodes.join(' or ')}`
  return { id: name, kind: 'unknown', message: `Exit code ${result.exitCode}${wanted}.\n${ending}` }
}

/** The test that a runner began last and said nothing more about; `undefined` if the output does not show it. */
export function hungTest(output: string): string | undefined {
  const lines = stripVTControlCharacters(output).slice(-HUNG_CHARACTERS_MAX).split('\n')
  for (const { began, ended } of RUNNING) {
    const last = lines.findLastIndex((line) => began.test(line))
    const name = last < 0 ? undefined : began.exec(lines[last] ?? '')?.[1]?.trim()
    if (name !== undefined && !lines.slice(last + 1).some((line) => ended.test(line) && line.includes(name))) return name
  }
  return undefined
}

const HUNG_CHARACTERS_MAX = 100_000

/** How runners say that a test begins, and that it ended; the end names the test again. */
const RUNNING: readonly { readonly began: RegExp; readonly ended: RegExp }[] = [
  { began: /^\s*=== RUN +(\S+)$/, ended: /^\s*--- (?:PASS|FAIL|SKIP): / },
  { began: /^ +Start +\d+: (\S+)$/, ended: /^ *\d+\/\d+ Test / },
  { began: /^\s*# Subtest: (.+)$/, ended: /^\s*(?:not )?ok \d+/ },
  { began: /^(\S+ > .+) STARTED$/, ended: / (?:PASSED|FAILED|SKIPPED)$/ },
  { began: /^\[INFO\] Running (\S+)$/, ended: /Tests run: / },
  { began: /^test (\S+) has been running for over \d+ seconds$/, ended: /^test \S+ \.\.\. / },
  // A line that waits for its outcome: pytest -v, unittest -v.
  { began: /^(\S+::\S+) *$/, ended: /::/ },
  { began: /^(\S+ \([\w.]+\))(?: \.\.\.)? *$/, ended: / \.\.\. / },
  // Node says it when it is ended.
  { began: /^⚠ (.+) \(\S+:\d+:\d+\)$/, ended: /^✔ / },
  { began: /^RUNS +(\S+)$/, ended: /^(?:PASS|FAIL) / },
]

const ID_CHARACTERS_MAX = 500
const MESSAGE_CHARACTERS_MAX = 2000

/**
 * Events contain failures, so they are shortened; files are relative to the folder, so that they are the same on every machine.
 */
function shortened(failure: Failure, cwd: string, folder: string): Failure {
  const { id, message, file, expected, received, frame } = failure
  return {
    ...failure,
    id: shortId(id, cwd),
    message: short(message, MESSAGE_CHARACTERS_MAX),
    ...(expected !== undefined && { expected: short(expected, 500) }),
    ...(received !== undefined && { received: short(received, 500) }),
    ...(file !== undefined && { file: fromFolder(file, cwd, folder) }),
    ...(frame !== undefined && { frame: short(frame.replaceAll(`${cwd}/`, ''), 500) }),
  }
}

/** Its id remains the same as its failure's. */
function shortenedTest({ id, outcome }: TestResult, cwd: string): TestResult {
  return { id: shortId(id, cwd), outcome }
}

/** JSON reports contain absolute paths, but an id must be the same in every folder. */
function shortId(id: string, cwd: string): string {
  return short(id.replace(`${cwd}/`, ''), ID_CHARACTERS_MAX)
}

function short(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1).toWellFormed()}…` : text
}

/** Some runners name files from the folder they run in, some from the top of the project. */
function fromFolder(file: string, cwd: string, folder: string): string {
  const isFromTop = folder === '' || file.startsWith(`${folder}/`)
  const path = isAbsolute(file) ? relative(cwd, file) : isFromTop ? file : join(folder, file)
  return path.startsWith('..') ? file : path
}

/**
 * The output without what passed test runs printed between their first and closing lines: a test may print its own failing report.
 * Knows only runners that mark their beginning (vitest, pytest, TAP with its version line). For nested runs the outermost counts, and
 * for several closing lines of one run the last.
 */
export function withoutPassedRuns(text: string): string {
  const passed = RUNNERS.flatMap((runner) => runsIn(text, runner).filter((run) => run.hasPassed))
  let rest = ''
  let from = 0
  for (const run of passed.toSorted((one, other) => one.from - other.from)) {
    rest += text.slice(from, Math.max(from, run.from))
    from = Math.max(from, run.to)
  }
  return passed.length === 0 ? text : rest + text.slice(from)
}

interface Runner {
  /** Matches the lines that begin a run, and in the group `closing` those that end one. */
  readonly lines: RegExp
  readonly hasFailed: (closing: string) => boolean
  /** Set if the closing lines are left out too, because they aren't a report by themselves. */
  readonly isWhole?: true
}

const RUNNERS: readonly Runner[] = [
  {
    lines: /^ RUN {2}v\d.*$|^(?<closing> *Test Files {2,}.*\n(?:.*\n){1,6}? *Duration {2,}.*)$/gm,
    hasFailed: (closing) => /\bfailed\b|^ *(?:Type )?Errors {2,}\d/m.test(closing),
  },
  {
    lines:
      /^=+ test session starts =+$|^(?<closing>=+ (?:no tests ran|\d+ [a-z]+(?:, \d+ [a-z]+)*) in \d[\d.]*s(?: \([\d:]+\))? =+)$/gm,
    hasFailed: (closing) => /\d (?:failed|errors?)\b/.test(closing),
  },
  {
    lines: /^TAP version 1[34][ \t]*$|^(?<closing># pass +\d+(?:\n# fail +\d+)?(?:\n# cancelled \d+)?)$/gm,
    hasFailed: (closing) => /^# (?:fail +|cancelled )[1-9]/m.test(closing),
    isWhole: true,
  },
]

interface Run {
  readonly from: number
  readonly to: number
  readonly hasPassed: boolean
}

function runsIn(text: string, { lines, hasFailed, isWhole }: Runner): readonly Run[] {
  const runs: Run[] = []
  let from = 0
  let depth = 0
  for (const { 0: line, index, groups } of text.matchAll(lines)) {
    const closing = groups?.['closing']
    if (closing === undefined) {
      if (depth === 0) from = isWhole ? index : index + line.length + 1
      depth += 1
    } else if (depth <= 1 && (depth === 1 || runs.length > 0)) {
      // Without a beginning it closes the last run: a test printed the line that seemed to close it.
      if (depth === 0) runs.pop()
      depth = 0
      runs.push({ from, to: isWhole ? index + line.length : index, hasPassed: !hasFailed(closing) })
    } else depth = Math.max(0, depth - 1)
  }
  return runs
}
