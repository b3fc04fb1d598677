import type { JsonObject } from '../../core/json.ts'
import { readCommandOptions } from '../../process/command-option-kinds.ts'
import { argumentList, type CommandLine, programName } from '../../process/command-options.ts'
import { startTrouble } from '../../process/command-trouble.ts'
import type { EffectContext } from '../../process/effect-context.ts'
import { findProgram } from '../../process/find-program.ts'
import { talkToCommand } from '../../process/talk-to-command.ts'
import type { Agent, WorkRequest, WorkResult } from '../agent.ts'
import { programEnvironment, programStart, timeLimit } from '../program-start.ts'
import { ACP_AGENT, type AcpAgentOptions } from '../agent-settings.ts'

export type { AcpAgentOptions }

/**
 * Any agent that speaks the Agent Client Protocol (`gemini --acp`, `opencode acp`, …). It reads and writes files in the folder through
 * Pawl or by itself, reports what it does, and asks for permission.
 *
 * @part acp
 */
export function acpAgent(options: AcpAgentOptions): Agent {
  const { command: _command, shell: _shell, ...given } = readCommandOptions('acpAgent', 'agent.acp', ACP_AGENT, options)
  const line: CommandLine = options.shell === true ? { command: options.command, shell: true } : { command: options.command }
  const settings = { ...given, line, name: given.name ?? programName(options) } as Settings
  programEnvironment(settings)
  const { line: _line, ...rest } = settings
  return {
    spec: { name: 'acp', v: 1, settings: { ...line, ...rest } as unknown as JsonObject },
    ...(given.model === undefined ? {} : { model: given.model }),
    tellsUsage: true,
    ready: async (cwd) => {
      const problem = await findProgram(line, cwd, programEnvironment(settings))
      return problem && startTrouble(problem, line)
    },
    ...(line.shell === true ? {} : { needs: { program: line.command[0] ?? '' } }),
    work: async (request, context) => work(settings, request, context),
  }
}

interface Settings
  extends
    Required<Pick<AcpAgentOptions, 'name' | 'timeoutMs' | 'environment' | 'variables' | 'permissions' | 'session'>>,
    Pick<AcpAgentOptions, 'mode' | 'model' | 'authMethod'> {
  readonly line: CommandLine
}

async function work(settings: Settings, request: WorkRequest, context: EffectContext): Promise<WorkResult> {
  const { line, name, environment, variables, session } = settings
  const limit = timeLimit(settings.timeoutMs, request.deadlineMs)
  if (limit.ms <= 0) {
    await context.started()
    return { status: 'timed-out', fault: 'agent', message: `No time was left for ${name} to begin.` }
  }
  // Loaded here, because the protocol's library is large.
  const [{ holdTalk }, { SessionRecord }, { talkWorkResult }] = await Promise.all([
    import('./hold-talk.ts'),
    import('./session-record.ts'),
    import('./talk-result.ts'),
  ])
  const record = new SessionRecord(
    request.cwd,
    (told) => context.progress(told),
    (report) => context.report?.(report),
  )
  const wanted = request.session ?? (session === 'continue' ? request.lastSession?.id : undefined)
  const result = await talkToCommand(
    {
      command: argumentList(line),
      ...programStart({ environment, variables }, request, context, limit.ms),
    },
    (talk) => holdTalk({ request, context, settings, record, talk, wanted }),
  )
  // Nothing began, so the start isn't in the journal yet; every result but `aborted` needs one.
  if (result.status === 'could-not-start') await context.started()
  else if (result.survived) context.progress('Something it started could not be ended and still runs.')
  return talkWorkResult(result, { name, line, limit, request, record, now: Date.now() })
}
