import type { JsonObject } from '../../core/json.ts'
import { ANYTHING, type EntriesOf, optional, settingsSchema, TEXT } from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { COMMAND_OPTIONS } from '../../process/command-option-kinds.ts'
import {
  argumentList,
  checkCommandOptions,
  type CommandLine,
  type CommandOptions,
  programName,
} from '../../process/command-options.ts'
import { startTrouble } from '../../process/command-trouble.ts'
import type { EffectContext } from '../../process/effect-context.ts'
import { findProgram } from '../../process/find-program.ts'
import { talkToCommand } from '../../process/talk-to-command.ts'
import type { Agent, WorkRequest, WorkResult } from '../agent.ts'
import { programEnvironment, programStart, timeLimit } from '../program-start.ts'
import { checkPermissions, type Permissions } from './asks.ts'

export type AcpAgentOptions = CommandOptions & {
  /** How long one piece of work may take, without the time that people need to answer. Default 30 minutes. */
  readonly timeoutMs?: number
  /** What people call the agent. Default: the program's name. */
  readonly name?: string
  /** Who answers its requests. Default `ask`: a person. */
  readonly permissions?: Permissions
  /** One of the agent's own modes, such as `autoEdit`. Default: the one it starts in. */
  readonly mode?: string
  /** Default: the agent's own choice. */
  readonly model?: string
  /** The login method to use. Default: it is assumed to be logged in. */
  readonly authMethod?: string
  /** Whether the next piece of work continues the session, if the agent can. Default `fresh`. */
  readonly session?: 'fresh' | 'continue'
}

/**
 * Any agent that speaks the Agent Client Protocol (`gemini --acp`, `opencode acp`, …). It reads and writes files in the folder through
 * Pawl or by itself, reports what it does, and asks for permission.
 *
 * @part acp
 */
export function acpAgent(options: AcpAgentOptions): Agent {
  readOptions('acpAgent', OPTIONS, options)
  checkCommandOptions('agent.acp', options)
  const { permissions = 'ask', session = 'fresh', name = programName(options) } = options
  checkPermissions('agent.acp', permissions)
  if (session !== 'fresh' && session !== 'continue')
    throw new PawlError('agent.acp.session', `session must be 'fresh' or 'continue', not ${String(session)}.`, { value: session })
  const { timeoutMs = 30 * 60_000, environment = [], variables = {}, mode, model, authMethod } = options
  const line: CommandLine = options.shell === true ? { command: options.command, shell: true } : { command: options.command }
  const settings: Settings = {
    line,
    name,
    timeoutMs,
    environment,
    variables,
    permissions,
    session,
    ...(mode === undefined ? {} : { mode }),
    ...(model === undefined ? {} : { model }),
    ...(authMethod === undefined ? {} : { authMethod }),
  }
  programEnvironment(settings)
  const { line: _inside, ...rest } = settings
  return {
    spec: { name: 'acp', v: 1, settings: { ...line, ...rest } as unknown as JsonObject },
    ...(model === undefined ? {} : { model }),
    tellsUsage: true,
    ready: async (cwd) => {
      const problem = await findProgram(line, cwd, programEnvironment(settings))
      return problem && startTrouble(problem, line)
    },
    work: async (request, context) => work(settings, request, context),
  }
}

const OPTIONS = settingsSchema({
  ...COMMAND_OPTIONS,
  name: optional(TEXT),
  permissions: ANYTHING,
  mode: optional(TEXT),
  model: optional(TEXT),
  authMethod: optional(TEXT),
  session: ANYTHING,
} satisfies EntriesOf<AcpAgentOptions>)

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
  const record = new SessionRecord(request.cwd, (told) => context.progress(told))
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
