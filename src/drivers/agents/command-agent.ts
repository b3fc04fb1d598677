import type { JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { Agent, WorkRequest, WorkResult } from '../../ports/agent.ts'
import type { EffectContext } from '../../ports/effect-context.ts'
import { childEnvironment } from '../../process/child-environment.ts'
import {
  argumentList,
  checkCommandOptions,
  programName,
  type CommandLine,
  type CommandOptions,
} from '../../process/command-options.ts'
import { commandTrouble } from '../../process/command-trouble.ts'
import { lastLines } from '../../process/last-lines.ts'
import { runCommand, type CommandResult } from '../../process/run-command.ts'
import { openAgentReportFile, type AgentReport } from './agent-report.ts'

export type CommandAgentOptions = CommandOptions & {
  /**
   * How the program gets the brief. `stdin` (the default), or `argument`: in place of `{brief}` in the arguments, else as a last argument;
   * a shell line finds it in `"$1"`. The system limits arguments to about 128 KB.
   */
  readonly briefAs?: 'stdin' | 'argument'
  /** How long one piece of work may take. Default 30 minutes; what is left of the run's time budget applies too. */
  readonly timeoutMs?: number
  /** What people call the agent. Default: the program's name. */
  readonly name?: string
}

/**
 * Any program that works in a folder: it gets the brief, and its exit code says whether it did the work. The program finds
 * PAWL_RUN, PAWL_ITERATION, PAWL_ROLE and PAWL_REPORT_FILE in its environment; see `AgentReport` for what it may write there.
 */
export function commandAgent(options: CommandAgentOptions): Agent {
  checkCommandOptions('agent.command', options)
  checkBrief(options)
  const { briefAs = 'stdin', timeoutMs = 30 * 60_000, environment = [], variables = {}, name = programName(options) } = options
  const line: CommandLine = options.shell === true ? { command: options.command, shell: true } : { command: options.command }
  const settings: Settings = { line, briefAs, timeoutMs, environment, variables, name }
  return {
    spec: { name: 'command', v: 1, settings: { ...line, briefAs, timeoutMs, environment, variables, name } satisfies JsonObject },
    work: async (request, context) => work(settings, request, context),
  }
}

interface Settings extends Required<Pick<CommandAgentOptions, 'briefAs' | 'timeoutMs' | 'environment' | 'variables' | 'name'>> {
  readonly line: CommandLine
}

function checkBrief({ briefAs = 'stdin', command, shell, name }: CommandAgentOptions): void {
  if (briefAs !== 'stdin' && briefAs !== 'argument') {
    throw new PawlError('agent.command.brief', `briefAs must be 'stdin' or 'argument', not ${String(briefAs)}.`, {
      value: briefAs,
    })
  }
  if (shell === true && command.includes('{brief}')) {
    const sentence =
      'A shell line cannot hold {brief}, a brief is no shell text: set briefAs to \'argument\' and write "$1" instead.'
    throw new PawlError('agent.command.brief', sentence, { value: command })
  }
  if (name !== undefined && name.trim() === '')
    throw new PawlError('agent.command.name', 'name must not be empty.', { value: name })
}

async function work(settings: Settings, request: WorkRequest, context: EffectContext): Promise<WorkResult> {
  const { line, name } = settings
  const limitMs = Math.min(settings.timeoutMs, request.deadlineMs ?? Infinity)
  const reportFile = await openAgentReportFile()
  const result = await runCommand({
    command: argumentsWithBrief(settings, request.brief),
    cwd: request.cwd,
    env: childEnvironment(settings.environment, {
      ...settings.variables,
      PAWL_RUN: request.run,
      PAWL_ITERATION: String(request.iteration),
      PAWL_ROLE: request.role,
      PAWL_REPORT_FILE: reportFile.path,
    }),
    ...(settings.briefAs === 'stdin' && { stdin: request.brief }),
    timeoutMs: limitMs,
    signal: context.signal,
    onStarted: (identity) => context.started(identity),
    onOutput: (lastLine) => context.progress(lastLine),
  })
  const { report, problems } = await reportFile.take()
  if (result.status === 'aborted') return { status: 'aborted' }
  // Nothing began, so nothing has been journaled yet; every result that is not `aborted` follows a start.
  if (result.status === 'could-not-start') await context.started()
  const remarks = remarksOn(result, problems)
  for (const remark of remarks) context.progress(remark)
  return workResult({ line, name, limitMs, result, report, remarks })
}

function argumentsWithBrief({ line, briefAs }: Settings, brief: string): readonly string[] {
  if (briefAs === 'stdin') return argumentList(line)
  if (line.shell === true || !line.command.some((part) => part.includes('{brief}'))) return argumentList(line, [brief])
  return line.command.map((part) => part.replaceAll('{brief}', () => brief))
}

function remarksOn(result: CommandResult, problems: readonly string[]): readonly string[] {
  const remarks = problems.length === 0 ? [] : [`Its report in PAWL_REPORT_FILE was not all usable: ${problems.join('; ')}.`]
  return 'survived' in result ? [...remarks, 'Something it started could not be ended and still runs.'] : remarks
}

interface Ended {
  readonly line: CommandLine
  readonly name: string
  readonly limitMs: number
  readonly result: Exclude<CommandResult, { status: 'aborted' }>
  readonly report: AgentReport
  readonly remarks: readonly string[]
}

function workResult({ line, name, limitMs, result, report, remarks }: Ended): WorkResult {
  const { costUsd, tokens, session, retryAt } = report
  const common = {
    ...(costUsd !== undefined && { costUsd }),
    ...(tokens !== undefined && { tokens }),
    ...('output' in result && { output: result.output }),
    ...('exitCode' in result && { exitCode: result.exitCode }),
  }
  if (result.status === 'exited' && result.exitCode === 0 && report.fault === undefined) {
    const summary = joined([report.summary, ...remarks])
    return { status: 'finished', ...common, ...(summary !== '' && { summary }), ...(session !== undefined && { session }) }
  }
  const trouble = commandTrouble(result, line)
  // A program that knows whose fault it was knows better than its exit code.
  const fault = report.fault ?? trouble?.fault ?? 'agent'
  const message = joined([report.message, trouble?.message ?? describe(name, limitMs, result), ...remarks])
  const fix = report.fault === undefined && trouble !== undefined ? { fix: trouble.fix } : {}
  const status = result.status === 'timed-out' ? 'timed-out' : 'failed'
  return { status, fault, message, ...fix, ...common, ...(retryAt !== undefined && { retryAt }) }
}

function describe(name: string, limitMs: number, result: Ended['result']): string {
  if (result.status === 'could-not-start') return result.message
  const said = lastLines(result.output.text)
  const ending = said === '' ? ' It printed nothing.' : ` It last said:\n${said}`
  if (result.status === 'timed-out') return `${name} was not done within ${limitMs / 1000} s and was ended.${ending}`
  if (result.status === 'killed') return `${name} was ended by ${result.signal}.${ending}`
  return `${name} exited with code ${result.exitCode}.${ending}`
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n')
}
