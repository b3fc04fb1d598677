import { PawlError } from '../../core/pawl-error.ts'
import type { BoundSession } from '../../engine/bound-sessions.ts'
import { isSet, SILENT, TELLING } from '../../engine/own-work.ts'
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
    throw new PawlError('usage.agent', `Say whose session it is: --agent ${INSTALLABLE.join('|')}.`)
  }
  const id = found && env[found[0]]
  if (found && id !== undefined && (agent === undefined || agent === found[1])) return { agent: found[1], session: id }
  const silent = SILENT.find(([name]) => isSet(env[name]))
  const why = silent
    ? `${silent[2]} does not tell the programs it starts which session they belong to (its /stats shows the id), so it`
    : 'Which session it is'
  throw new PawlError('usage.session', `${why} has to be said: ${saidBy}`)
}
