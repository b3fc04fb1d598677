import { posix, resolve } from 'node:path'
import type { Failure } from '../core/failure.ts'
import type { JsonObject } from '../core/json.ts'
import { shellWord } from '../core/wording.ts'
import { readCommandOptions } from '../process/command-option-kinds.ts'
import { placeIn } from '../process/box.ts'
import { argumentList, childEnvironment, type CommandLine } from '../process/command-options.ts'
import { type CommandTrouble, endTrouble, isChildKilled, startTrouble } from '../process/command-trouble.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { environmentTrouble } from '../process/environment-trouble.ts'
import { missingTarget, type MissingTarget } from '../process/missing-target.ts'
import { missingVariable } from '../process/missing-variable.ts'
import { OutputSpool } from '../process/output.ts'
import { runCommand } from '../process/run-command.ts'
import { redactedStart, redactSaid } from '../secrets/filter.ts'
import { hasSecretHint } from '../secrets/hint.ts'
import { keepSecretsOf } from '../secrets/known-values.ts'
import {
  type CheckReport,
  checkVerdict,
  hasFailures,
  isOfLines,
  parseWith,
  parsersFor,
  type RanCheck,
  readCheckReport,
  REPORT_FIX,
  type ReportOptions,
} from './check-report.ts'
import type { Check, CheckRequest, CheckResult, Report, ReportParser } from './check.ts'
import { expectReportFile, type ReportFile } from './report-file.ts'
import { reportFormats, reportParserNamed, reportParsers } from './reports/index.ts'
import { COMMAND_CHECK, type CommandCheckOptions } from './command-settings.ts'

export type { CommandCheckOptions }

/**
 * A command whose exit code 0 means that the work is right, unless its report says otherwise. Reads every report format that Pawl knows,
 * unless `report` or `parsers` name others. Runs with `CI=true` and `NO_COLOR=1`, unless `variables` override them.
 *
 * @part command
 */
export function commandCheck(options: CommandCheckOptions): Check {
  const given = readCommandOptions('commandCheck', 'check.command', COMMAND_CHECK, options)
  const { name, timeoutMs, environment = [], variables = {}, cwd, room, when } = given
  const {
    parsers = reportParsers,
    parserNamed = reportParserNamed,
    parserNames = reportFormats,
    report,
    successExitCodes = [0],
  } = options
  const line: CommandLine = options.shell === true ? { command: options.command, shell: true } : { command: options.command }
  const wanted = report && {
    ...(report.format !== undefined && { format: report.format }),
    ...(report.file !== undefined && { file: report.file }),
  }
  const settings = {
    name,
    ...line,
    timeoutMs,
    environment,
    variables,
    ...(wanted && { report: wanted }),
    ...(options.successExitCodes && { successExitCodes }),
    ...(cwd !== undefined && { cwd }),
    ...(room === false && { room }),
    ...(when === 'before-success' && { when }),
  } satisfies JsonObject
  const parts: Parts = {
    name,
    timeoutMs,
    line,
    environment,
    folder: cwd === undefined ? '' : posix.normalize(cwd).replace(/^\.$|\/$/, ''),
    report,
    successExitCodes,
    parsers,
    reportParsers: parsersFor(report, { parsers, parserNamed, parserNames }),
  }
  const env = () => {
    const passed = childEnvironment(environment, { CI: 'true', NO_COLOR: '1', ...variables })
    keepSecretsOf(passed)
    return passed
  }
  env()
  return {
    name,
    spec: { name: 'command', v: 1, settings },
    run: async (request, context) => run(parts, request, context, env()),
  }
}

interface Parts {
  readonly name: string
  readonly timeoutMs: number
  readonly line: CommandLine
  /** Names of the variables that are passed on to it. */
  readonly environment: readonly string[]
  /** Where it runs, from the workspace; empty for the workspace itself. */
  readonly folder: string
  readonly report: ReportOptions | undefined
  readonly successExitCodes: readonly number[]
  /** For the output of a check whose report could not be read. */
  readonly parsers: readonly ReportParser[]
  readonly reportParsers: readonly ReportParser[]
}

/** Reports on standard output are read completely up to here. */
const SPOOL_BYTES_MAX = 64 * 1024 * 1024
const MESSAGE_LENGTH_MAX = 350

async function run(
  parts: Parts,
  request: CheckRequest,
  context: EffectContext,
  env: Readonly<Record<string, string>>,
): Promise<CheckResult> {
  const path = parts.report?.file
  const place = placeIn(request, parts.folder)
  const file = path === undefined ? undefined : await expectReportFile(request.cwd, resolve(place.folder, path))
  const spool = parts.reportParsers.length > 0 && file === undefined ? new OutputSpool(SPOOL_BYTES_MAX) : undefined
  try {
    const result = await runCommand({
      command: [...place.prefix, ...argumentList(parts.line)],
      cwd: place.cwd,
      env,
      timeoutMs: parts.timeoutMs,
      signal: context.signal,
      onStarted: (identity) => context.started(identity),
      onOutput: (lastLine) => context.progress(lastLine),
      onBytes: (bytes) => spool?.push(bytes),
    })
    if (result.status === 'could-not-start') {
      // Nothing began, so the start isn't in the journal yet; every result but `aborted` needs one.
      await context.started()
      const failed = { status: 'failed', failures: [{ id: parts.name, kind: 'unknown', message: result.message }] } as const
      if (request.hasRun && isOfWorkspace(parts.line, place.folder, request.cwd)) return failed
      if (result.reason === 'no-such-folder' && parts.folder !== '')
        return request.hasRun || request.iteration > 0 ? failed : noFolder(parts.folder)
      const missing = result.reason === 'not-found' ? ({ isProgramMissing: true } as const) : {}
      return { status: 'errored', ...startTrouble(result, parts.line), ...missing }
    }
    if (result.survived) context.progress('Something the check started could not be ended and still runs.')
    if (result.status === 'aborted') return { status: 'aborted' }
    return await resultOf({ parts, request, folder: place.folder, context, result, spool, file, env })
  } finally {
    spool?.close()
  }
}

interface Ended {
  readonly parts: Parts
  readonly request: CheckRequest
  /** The folder it ran in, as it is seen from outside a room. */
  readonly folder: string
  readonly context: EffectContext
  readonly result: RanCheck
  readonly spool: OutputSpool | undefined
  readonly file: ReportFile | undefined
  /** The environment it had. */
  readonly env: Readonly<Record<string, string>>
}

/** The strongest evidence first: a signal from outside, then the report, the exit code, and the last lines of the output. */
async function resultOf({ parts, request, folder, context, result, spool, file, env }: Ended): Promise<CheckResult> {
  const { output } = result
  const trouble = endTrouble(result, parts.line)
  // A user who lists such a code expects the command to report problems.
  if (result.status === 'exited' && result.exitCode !== 0 && parts.successExitCodes.includes(result.exitCode))
    return { status: 'passed', exitCode: result.exitCode, output }
  const isEndedFromOutside = result.status === 'killed' || (result.status === 'exited' && isChildKilled(result))
  if (trouble !== undefined && isEndedFromOutside) return { status: 'errored', ...trouble, output }
  const say = (line: string) => context.progress(line)
  const hasFailed = result.status !== 'exited' || !parts.successExitCodes.includes(result.exitCode)
  let read: CheckReport = {}
  if (result.status !== 'timed-out') {
    read = await readCheckReport({
      options: parts.report,
      parsers: parts.reportParsers,
      file,
      spool,
      output,
      hasSucceeded: !hasFailed,
      say,
    })
    if (read.problem !== undefined) say(read.problem)
    if (read.isFatal) return { status: 'errored', fault: 'config', message: read.problem ?? '', fix: REPORT_FIX, output }
    const instead =
      read.problem !== undefined && read.report === undefined && hasFailed
        ? await parseWith(parts.parsers, output.text, say)
        : undefined
    if (instead !== undefined) read = { ...read, report: instead }
    if (!hasFailed && parts.report === undefined && isOfLines(read.report)) read = {}
  }
  const isUnexplained = hasFailed && result.status !== 'timed-out' && !hasFailures(read.report)
  const isPlain = isUnexplained || isOfLines(read.report)
  const lacking = hasFailed ? lackedVariable({ parts, request, env, result, report: read.report, isPlain }) : undefined
  const missing =
    lacking ??
    (isUnexplained
      ? await whyNotRun({
          trouble,
          request: { ...request, cwd: folder },
          result,
          line: parts.line,
          path: env['PATH'],
          report: read.report,
        })
      : await troubleOfTests(read.report, folder, request.iteration === 0 ? output.text : undefined))
  if (missing !== undefined) {
    const isMissing = missing === trouble && result.status === 'exited' && result.exitCode === 127
    const message = await redactedStart(missing.message, MESSAGE_LENGTH_MAX)
    return { status: 'errored', ...missing, ...(isMissing ? { isProgramMissing: true } : {}), message, output }
  }
  const { name, timeoutMs, successExitCodes } = parts
  // The message will contain the last lines, cut.
  const isTold = (hasFailed || hasFailures(read.report)) && hasSecretHint(output.text)
  const clean = isTold ? { ...result, output: { ...output, text: await redactSaid(output.text) } } : result
  const cwd = request.box?.cwd ?? request.cwd
  return checkVerdict({ name, timeoutMs, successExitCodes, cwd, folder: parts.folder, result: clean, read })
}

interface FailedCheck extends Pick<Ended, 'parts' | 'request' | 'env' | 'result'> {
  readonly report: Report | undefined
  /** Whether no test is named as failed. */
  readonly isPlain: boolean
}

/**
 * A variable that the check lacks: the configuration's fault, whatever the work is like. One that Pawl withheld always counts if all
 * failures name it, and before the work if any does. One that is set nowhere may be what the work is about, so it counts only before the
 * work, and only if no test failed.
 */
function lackedVariable({ parts, request, env, result, report, isPlain }: FailedCheck): CommandTrouble | undefined {
  const isBefore = request.iteration === 0
  const found = isPlain
    ? [missingVariable({ text: result.output.text, env, from: 'output' })]
    : (report?.failures ?? []).map(({ message }) => missingVariable({ text: message, env, from: 'test' }))
  const missing = found.find((each) => each !== undefined && (each.isWithheld || (isBefore && isPlain)))
  if (!missing || (!isBefore && !found.every((each) => each?.isWithheld))) return undefined
  const { name, line, isWithheld } = missing
  const { command, shell = false } = parts.line
  const text = typeof command === 'string' ? command : command.map(shellWord).join(' ')
  const entry = [
    `name: ${JSON.stringify(parts.name)}`,
    `command: ${JSON.stringify(text)}`,
    ...(shell ? ['shell: true'] : []),
    `environment: [${[...parts.environment, name].join(', ')}]`,
  ]
  const way = `Write under \`checks\` in pawl.yaml: - { ${entry.join(', ')} }`
  return isWithheld
    ? { fault: 'config', message: `${name} is set here, but isn't passed on to the check: ${line}`, fix: `${way}; then resume.` }
    : { fault: 'config', message: `${name} is not set: ${line}`, fix: `Set ${name} where you start Pawl. ${way}; then resume.` }
}

function noFolder(folder: string): CheckResult {
  const fix = 'Correct `cwd` of the check, or create the folder.'
  return { status: 'errored', fault: 'config', message: `There is no folder ${folder}.`, fix, isTargetMissing: true }
}

/**
 * Failed tests count against the work, whatever their message. Only if every single one failed for a reason that the machine confirms (a
 * port in use, a service that doesn't answer), there is nothing to judge. Before any work a single one is enough: until that is fixed, the
 * check can't pass, whatever the agent does. `outputBefore` is the output of a check before any work.
 */
async function troubleOfTests(
  report: Report | undefined,
  cwd: string,
  outputBefore: string | undefined,
): Promise<CommandTrouble | undefined> {
  if (report === undefined || !hasFailures(report)) return undefined
  const isBefore = outputBefore !== undefined
  // Where the report only counts failures, the output has the reason.
  if (isBefore && report.failures.length === 0) return environmentTrouble({ text: outputBefore, cwd, from: 'check', isBefore })
  // A test that compares two values is about its own values.
  const failures = report.failures.filter(({ expected }) => expected === undefined)
  if (!isBefore && failures.length < Math.max(report.counts.failed, report.failures.length)) return undefined
  let found: CommandTrouble | undefined
  // Look up the same message once.
  for (const message of new Set(failures.map((failure) => reasonOf(failure)))) {
    const trouble = await environmentTrouble({ text: message, cwd, from: 'test', isBefore })
    if (trouble === undefined && !isBefore) return undefined
    found ??= trouble
    if (isBefore && found !== undefined) return found
  }
  return found
}

/** For a file that couldn't be loaded, node:test gives the reason on the second line. */
function reasonOf({ message }: Failure): string {
  const [first = '', second = ''] = message.trim().split('\n', 2)
  return first === 'test failed' ? second : first
}

/** A check that failed, and whose report names no failure. */
export interface UnexplainedCheck {
  /** What its exit alone says. */
  readonly trouble: CommandTrouble | undefined
  readonly request: CheckRequest
  readonly result: RanCheck
  readonly line: CommandLine
  readonly path: string | undefined
  readonly report: Report | undefined
}

/** Why a command that failed without a report could not run; `undefined` if the work is to blame. */
export async function whyNotRun({
  trouble,
  request,
  result,
  line,
  path,
  report,
}: UnexplainedCheck): Promise<(CommandTrouble & { readonly isTargetMissing?: true }) | undefined> {
  const { text } = result.output
  const { cwd } = request
  const machine =
    trouble === undefined ? await environmentTrouble({ text, cwd, from: 'check', isBefore: request.iteration === 0 }) : undefined
  if (machine !== undefined || result.status !== 'exited' || hasTests(report)) return machine ?? trouble
  const target = await missingTarget({ line, exitCode: result.exitCode, text, cwd, path })
  if (target !== undefined && isOfConfig(target, request)) {
    const { fault, message, fix } = target
    return { fault, message, fix, isTargetMissing: true }
  }
  return target !== undefined && request.hasRun ? undefined : trouble
}

/**
 * Whether a missing target is a configuration error. Before any work it is, unless there is no project yet, which the agent must create.
 * If the check ran before in this run, the agent broke it. Otherwise the agent may have been asked to create it, unless the check was added
 * since, or it is a script with a similar name.
 */
function isOfConfig({ isSlip, isNew }: MissingTarget, { iteration, hasRun, isLate }: CheckRequest): boolean {
  return hasRun === undefined && !isNew && (iteration === 0 || isSlip || isLate === true)
}

/** Lines that look like errors aren't tests. */
function hasTests(report: Report | undefined): boolean {
  return report !== undefined && !isOfLines(report) && report.counts.passed + report.counts.failed + report.counts.skipped > 0
}

/** Whether the program itself is a file of the workspace, which an agent can delete. */
export function isOfWorkspace(line: CommandLine, cwd: string, workspace = cwd): boolean {
  const [program = ''] = line.shell === true ? [] : line.command
  return program.includes('/') && resolve(cwd, program).startsWith(`${resolve(workspace)}/`)
}
