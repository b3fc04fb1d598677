import { isAbsolute, relative } from 'node:path'
import { FAILURES_KEPT_MAX } from '../../core/event-data.ts'
import type { Failure } from '../../core/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { Check, CheckRequest, CheckResult, Report, ReportParser } from '../../ports/check.ts'
import type { EffectContext } from '../../ports/effect-context.ts'
import { childEnvironment } from '../../process/child-environment.ts'
import { argumentList, checkCommandOptions, type CommandLine, type CommandOptions } from '../../process/command-options.ts'
import { endTrouble, startTrouble } from '../../process/command-trouble.ts'
import { lastLines } from '../../process/last-lines.ts'
import { runCommand, type CommandResult } from '../../process/run-command.ts'

export type CommandCheckOptions = CommandOptions & {
  /** What people call the check; the id of its failure where no test is known. */
  readonly name: string
  /** Default 10 minutes. A check that takes longer has failed: a hanging test is the work's fault. */
  readonly timeoutMs?: number
  /** Tried in this order on the output; the first that understands it is believed. Default: none. */
  readonly parsers?: readonly ReportParser[]
}

/**
 * A command whose exit code 0 means that the work is right. It runs with `CI=true` and `NO_COLOR=1` unless `variables` say
 * otherwise.
 */
export function commandCheck(options: CommandCheckOptions): Check {
  checkCommandOptions('check.command', options)
  const { name, timeoutMs = 10 * 60_000, environment = [], variables = {}, parsers = [] } = options
  if (typeof name !== 'string' || name.trim() === '' || name.includes('\n')) {
    throw new PawlError('check.command.name', 'A check needs a name of one line, such as "tests".', { value: name })
  }
  const line: CommandLine = options.shell === true ? { command: options.command, shell: true } : { command: options.command }
  const settings: Settings = { name, line, timeoutMs, environment, variables, parsers }
  return {
    name,
    spec: { name: 'command', v: 1, settings: { name, ...line, timeoutMs, environment, variables } satisfies JsonObject },
    run: async (request, context) => run(settings, request, context),
  }
}

interface Settings extends Required<Pick<CommandCheckOptions, 'name' | 'timeoutMs' | 'environment' | 'variables' | 'parsers'>> {
  readonly line: CommandLine
}

async function run(settings: Settings, request: CheckRequest, context: EffectContext): Promise<CheckResult> {
  const result = await runCommand({
    command: argumentList(settings.line),
    cwd: request.cwd,
    env: childEnvironment(settings.environment, { CI: 'true', NO_COLOR: '1', ...settings.variables }),
    timeoutMs: settings.timeoutMs,
    signal: context.signal,
    onStarted: (identity) => context.started(identity),
    onOutput: (lastLine) => context.progress(lastLine),
  })
  if (result.status === 'could-not-start') {
    // Nothing began, so no start has been journaled yet; every result but `aborted` follows one.
    await context.started()
    return { status: 'errored', ...startTrouble(result, settings.line) }
  }
  if (result.survived) context.progress('Something the check started could not be ended and still runs.')
  if (result.status === 'aborted') return { status: 'aborted' }
  const trouble = endTrouble(result, settings.line)
  if (trouble !== undefined) return { status: 'errored', ...trouble, output: result.output }
  const report = result.status === 'timed-out' ? undefined : readReport(settings.parsers, result.output.text, context)
  return judged(settings, request, result, report)
}

function judged(settings: Settings, request: CheckRequest, result: Ran, report: Report | undefined): CheckResult {
  const exit = result.status === 'exited' ? { exitCode: result.exitCode } : {}
  const counts = report === undefined || isGeneral(report) ? {} : { counts: report.counts }
  const failed = (failures: readonly Failure[]): CheckResult => ({
    status: 'failed',
    ...exit,
    output: result.output,
    ...counts,
    failures: failures.slice(0, FAILURES_KEPT_MAX).map((failure) => shortened(failure, request.cwd)),
  })
  if (result.status === 'exited' && result.exitCode === 0) {
    // Lines that merely look like errors prove nothing against an exit code of 0; a report that counts failures does: `npm test
    // || true`. Nothing run is a pass here: runners that find no tests exit with another code unless told otherwise, and a
    // linter runs none at all.
    const hasFailed = report !== undefined && !isGeneral(report) && (report.counts.failed > 0 || report.failures.length > 0)
    if (!hasFailed) return { status: 'passed', ...exit, output: result.output, ...counts }
  }
  const saysNothing = report === undefined || report.failures.length === 0
  // Of a crash the signal says more than lines that look like errors.
  if (saysNothing || (isGeneral(report) && result.status === 'killed')) return failed([ownFailure(settings, result)])
  return failed(isGeneral(report) ? report.failures.map((failure) => ({ ...failure, id: settings.name })) : report.failures)
}

type Ran = Exclude<CommandResult, { status: 'aborted' | 'could-not-start' }>

/** The fallback parser knows of no tests: its one failure gets the name of the check, and it counts nothing. */
function isGeneral(report: Report): boolean {
  return report.format === 'general'
}

function readReport(parsers: readonly ReportParser[], text: string, context: EffectContext): Report | undefined {
  for (const parser of parsers) {
    try {
      const report = parser(text)
      if (report !== undefined) return report
    } catch (error) {
      context.progress(`A report parser failed and was passed over: ${(error as Error).message}`)
    }
  }
  return undefined
}

function ownFailure({ name, timeoutMs }: Settings, result: Ran): Failure {
  const said = lastLines(result.output.text, 20, MESSAGE_CHARACTERS_MAX)
  const ending = said === '' ? 'It printed nothing.' : said
  if (result.status === 'timed-out')
    return { id: name, kind: 'timeout', message: `Not done within ${timeoutMs / 1000} s.\n${ending}` }
  if (result.status === 'killed') return { id: name, kind: 'exception', message: `Crashed with ${result.signal}.\n${ending}` }
  return { id: name, kind: 'unknown', message: `Exit code ${result.exitCode}.\n${ending}` }
}

const MESSAGE_CHARACTERS_MAX = 2000

/**
 * Failures stand in events, so they are kept short; files are named from the folder, so that they are the same on every
 * machine.
 */
function shortened(failure: Failure, cwd: string): Failure {
  const { id, message, file, expected, received } = failure
  return {
    ...failure,
    id: short(id, 500),
    message: short(message, MESSAGE_CHARACTERS_MAX),
    ...(expected !== undefined && { expected: short(expected, 500) }),
    ...(received !== undefined && { received: short(received, 500) }),
    ...(file !== undefined && { file: fromFolder(file, cwd) }),
  }
}

function short(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 1).toWellFormed()}…` : text
}

function fromFolder(file: string, cwd: string): string {
  const path = isAbsolute(file) ? relative(cwd, file) : file
  return path.startsWith('..') ? file : path
}
