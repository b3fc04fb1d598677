import { PawlError } from '../../core/pawl-error.ts'
import { environmentsAround } from '../../process/process-identity.ts'
import type { BoundSession } from '../../engine/bound-sessions.ts'
import { INSTALLABLE } from './install/agent-files.ts'

/** Which session of which agent a command is about. */
export interface SessionFlags {
  readonly session?: string
  readonly agent?: string
}

/**
 * Which session is meant: as the flags say, or the one in which this command was called, where its agent tells. `saidBy` is how the
 * command takes a session, for the error.
 */
export function sessionFrom(
  { session, agent }: SessionFlags,
  env: NodeJS.ProcessEnv,
  saidBy = '--session ID --agent NAME',
): BoundSession {
  if (agent !== undefined && !INSTALLABLE.some((each) => each === agent))
    throw new PawlError('usage.agent', `"${agent}" isn't one of ${INSTALLABLE.join(', ')}.`, { value: agent })
  const found = TELLING.find(([name]) => isSet(env[name]))
  if (session !== undefined) {
    if (agent !== undefined) return { agent, session }
    if (found) return { agent: found[1], session }
    throw new PawlError('usage.agent', `Whose session it is has to be said: --agent ${INSTALLABLE.join('|')}.`)
  }
  const id = found && env[found[0]]
  if (found && id !== undefined && (agent === undefined || agent === found[1])) return { agent: found[1], session: id }
  const silent = SILENT.find(([name]) => isSet(env[name]))
  const why = silent
    ? `${silent[2]} does not tell the programs it starts which session they belong to (its /stats shows the id), so it`
    : 'Which session it is'
  throw new PawlError('usage.session', `${why} has to be said: ${saidBy}`)
}

/** Variables by which agents tell the programs they start which session they belong to. */
const TELLING = [
  ['CLAUDE_CODE_SESSION_ID', 'claude'],
  ['CODEX_THREAD_ID', 'codex'],
  // Told to its hooks only, not to what its shell tool starts.
  ['GEMINI_SESSION_ID', 'gemini'],
] as const

/** Agents that tell only who they are. */
const SILENT = [
  ['GEMINI_CLI', 'gemini', 'Gemini CLI'],
  ['QWEN_CODE', 'qwen', 'Qwen Code'],
] as const

/**
 * The agents' sessions in which this command was called, the id where the agent tells it. What a program unsets for another still shows
 * in the program that it was started by itself.
 */
export function sessionsAround(): readonly { readonly agent: string; readonly session?: string }[] {
  return environmentsAround().flatMap((env) => [
    ...TELLING.flatMap(([name, agent]) => (isSet(env[name]) ? [{ agent, session: env[name] }] : [])),
    ...SILENT.flatMap(([name, agent]) => (isSet(env[name]) ? [{ agent }] : [])),
  ])
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}
