import { tmpdir } from 'node:os'
import { isAbsolute } from 'node:path'
import type { JsonObject } from '../core/json.ts'
import { PawlError } from '../core/pawl-error.ts'
import { readCommandOptions } from '../process/command-option-kinds.ts'
import { argumentList, type CommandLine, programName } from '../process/command-options.ts'
import { startTrouble, type CommandTrouble } from '../process/command-trouble.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { findProgram, type CouldNotStart } from '../process/find-program.ts'
import { lastLines } from '../process/last-lines.ts'
import { runCommand, type CommandResult } from '../process/run-command.ts'
import { redactText } from '../secrets/filter.ts'
import { COMMAND_AGENT, type CommandAgentOptions } from './agent-settings.ts'
import { type AgentReport, type AgentReportFile, openAgentReportFile } from './agent-report.ts'
import { agentTrouble, type AgentTrouble } from './agent-trouble.ts'
import type { Agent, WorkRequest, WorkResult } from './agent.ts'
import { endedAtLimit, programEnvironment, programStart, timeLimit, type TimeLimit } from './program-start.ts'

export type { CommandAgentOptions }

/** An agent that can check before the work whether its program exists. */
export interface CommandAgent extends Agent {
  /** Why the program could not start in this folder; `undefined` if it could. Doesn't start it. */
  ready(cwd: string): Promise<CommandTrouble | undefined>
}

/**
 * Any program that works in a folder: it gets the brief, and its exit code says whether it did the work. Its environment contains
 * PAWL_RUN, PAWL_ITERATION, PAWL_ROLE and PAWL_REPORT_FILE; see `AgentReport` for what it may write to that file.
 *
 * @part command
 */
export function commandAgent(options: CommandAgentOptions): CommandAgent {
  const {
    briefAs,
    timeoutMs,
    environment,
    variables,
    name = programName(options),
  } = readCommandOptions('commandAgent', 'agent.command', COMMAND_AGENT, options)
  if (options.shell === true && options.command.includes('{brief}')) {
    const sentence =
      "A shell line cannot contain {brief}, because a brief isn't shell text: set briefAs to 'argument' and write \"$1\" instead."
    throw new PawlError('agent.command.brief', sentence, { value: options.command })
  }
  const line: CommandLine = options.shell === true ? { command: options.command, shell: true } : { command: options.command }
  const settings: Settings = { line, briefAs, timeoutMs, environment, variables, name }
  programEnvironment(settings)
  const agent: CommandAgent & { tellsUsage?: true } = {
    spec: { name: 'command', v: 1, settings: { ...line, briefAs, timeoutMs, environment, variables, name } satisfies JsonObject },
    ready: async (cwd) => ready(settings, cwd),
    ...(line.shell === true
      ? {}
      : { needs: { program: line.command[0] ?? '', files: line.command.filter((word) => isAbsolute(word)) } }),
    work: async (request, context) => {
      const result = await work(settings, request, context, agent.tellsUsage ?? false)
      // A program that has reported usage once used something, even if it is cut off before it can report again.
      if ('costUsd' in result || 'tokens' in result) agent.tellsUsage = true
      return result
    },
  }
  return agent
}

interface Settings extends Required<Pick<CommandAgentOptions, 'briefAs' | 'timeoutMs' | 'environment' | 'variables' | 'name'>> {
  readonly line: CommandLine
}

async function ready(settings: Settings, cwd: string): Promise<CommandTrouble | undefined> {
  const problem = await findProgram(settings.line, cwd, programEnvironment(settings))
  return problem && startTrouble(problem, settings.line)
}

async function work(settings: Settings, request: WorkRequest, context: EffectContext, tellsUsage: boolean): Promise<WorkResult> {
  const limit = timeLimit(settings.timeoutMs, request.deadlineMs)
  if (limit.ms <= 0) {
    await context.started()
    return { status: 'timed-out', fault: 'agent', message: `No time was left for ${settings.name} to begin.` }
  }
  let reportFile: AgentReportFile
  try {
    reportFile = await openAgentReportFile(request.box?.folder)
  } catch (error) {
    await context.started()
    const message = `No temporary file could be made for the report of ${settings.name}: ${(error as Error).message}.`
    return {
      status: 'failed',
      fault: 'environment',
      message,
      fix: `Make room in ${tmpdir()}, or point TMPDIR to a folder that can be written.`,
    }
  }
  try {
    const result = await start(settings, request, context, limit.ms, reportFile.path)
    const { report, problems } = await reportFile.read()
    return await workResult({ settings, request, limit, result, report, problems, tellsUsage }, context)
  } finally {
    await reportFile.remove()
  }
}

async function start(
  settings: Settings,
  request: WorkRequest,
  context: EffectContext,
  limitMs: number,
  reportPath: string,
): Promise<CommandResult> {
  const { environment, variables } = settings
  const told = { environment, variables: { ...variables, PAWL_REPORT_FILE: reportPath } }
  return runCommand({
    command: argumentsWithBrief(settings, request.brief),
    ...programStart(told, request, context, limitMs),
    ...(settings.briefAs === 'stdin' && { stdin: request.brief }),
    onOutput: (lastLine) => context.progress(lastLine),
  })
}

function argumentsWithBrief({ line, briefAs }: Settings, brief: string): readonly string[] {
  if (briefAs === 'stdin') return argumentList(line)
  if (line.shell === true || !line.command.some((part) => part.includes('{brief}'))) return argumentList(line, [brief])
  return line.command.map((part) => part.replaceAll('{brief}', () => brief))
}

interface Ended {
  readonly settings: Settings
  readonly request: WorkRequest
  readonly limit: TimeLimit
  readonly result: CommandResult
  readonly report: AgentReport
  readonly problems: readonly string[]
  /** Whether it has reported usage before. */
  readonly tellsUsage: boolean
}

async function workResult(
  { settings, request, limit, result, report, problems, tellsUsage }: Ended,
  context: EffectContext,
): Promise<WorkResult> {
  if (result.status === 'could-not-start') {
    // Nothing began, so the start isn't in the journal yet; every result but `aborted` needs one.
    await context.started()
    return { status: 'failed', ...(briefTrouble(result, settings, request.brief) ?? startTrouble(result, settings.line)) }
  }
  const remarks = problems.length === 0 ? [] : [`Its report in PAWL_REPORT_FILE was not all usable: ${problems.join('; ')}.`]
  if (result.survived) remarks.push('Something it started could not be ended and still runs.')
  for (const remark of remarks) context.progress(remark)
  const { costUsd, tokens, session, retryAt } = report
  // A program that reports usage and is cut off used more than it had reported.
  const isCut = result.status !== 'exited' && (tellsUsage || costUsd !== undefined || tokens !== undefined)
  const used = {
    ...(costUsd !== undefined && { costUsd }),
    ...(tokens !== undefined && { tokens }),
    ...((isCut || report.isUsagePartial) && { isUsagePartial: true as const }),
  }
  if (result.status === 'aborted') return { status: 'aborted', ...used }
  const common = {
    ...used,
    ...(result.status === 'exited' && { exitCode: result.exitCode }),
    output: result.output,
  }
  // A program's own statement about the fault wins over its exit code, even 0.
  const trouble: Partial<AgentTrouble> | undefined =
    report.fault === undefined
      ? await agentTrouble({ result, line: settings.line, cwd: request.cwd, now: Date.now() })
      : { ...(report.fix !== undefined && { fix: report.fix }) }
  if (result.status === 'exited' && result.exitCode === 0 && trouble === undefined) {
    const summary = joined([report.summary, ...remarks])
    return { status: 'finished', ...common, ...(summary !== '' && { summary }), ...(session !== undefined && { session }) }
  }
  // What the agent reports says more than the end of its output.
  const message = joined([
    report.message ?? report.summary,
    trouble?.message ?? (await describe(settings.name, limit, result)),
    ...remarks,
  ])
  const until = retryAt ?? trouble?.retryAt
  return {
    status: result.status === 'timed-out' ? 'timed-out' : 'failed',
    fault: report.fault ?? trouble?.fault ?? 'agent',
    message,
    ...(trouble?.fix !== undefined && { fix: trouble.fix }),
    ...(trouble?.isOutage && { isOutage: trouble.isOutage }),
    ...common,
    ...(until !== undefined && { retryAt: until }),
  }
}

/** A brief that can't be an argument: longer than the system allows (Linux: 128 KiB), or with a NUL character. */
function briefTrouble({ reason, message }: CouldNotStart, { briefAs }: Settings, brief: string): CommandTrouble | undefined {
  const isUnfit = briefAs === 'argument' && (Buffer.byteLength(brief) >= 128 * 1024 || brief.includes('\0'))
  if (reason !== 'other' || !isUnfit) return undefined
  return { fault: 'config', message, fix: "This brief cannot be an argument: set briefAs to 'stdin'." }
}

async function describe(
  name: string,
  limit: TimeLimit,
  result: Exclude<CommandResult, CouldNotStart | { status: 'aborted' }>,
): Promise<string> {
  const said = lastLines(await redactText(result.output.text))
  const ending = said === '' ? ' It printed nothing.' : ` It last said:\n${said}`
  if (result.status === 'timed-out') return `${endedAtLimit(name, limit)}${ending}`
  if (result.status === 'killed') return `${name} crashed with ${result.signal}.${ending}`
  return `${name} exited with code ${result.exitCode}.${ending}`
}

/** One line each, ending like sentences, because some readers join them. */
function joined(parts: readonly (string | undefined)[]): string {
  const said = parts.flatMap((part) => (part === undefined || part === '' ? [] : [part]))
  return said
    .map((part, index) => (index === said.length - 1 || /[.!?:;…]["')\]]?\s*$/.test(part) ? part : `${part}.`))
    .join('\n')
}
