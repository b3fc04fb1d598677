import { dirname } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { bindRun } from '../../../engine/bind-run.ts'
import { knownState } from '../../../engine/person-facts.ts'
import type { BoundSession } from '../../../engine/bound-sessions.ts'
import { systemClock } from '../../../process/clock.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { requireOutsideWork } from '../run-permissions.ts'
import { INSTALLABLE } from '../install/agent-files.ts'
import { requireStore } from '../stored-run.ts'

export interface BindFlags {
  readonly session?: string
  readonly agent?: string
}

/** Makes a run belong to an agent's session: its hook keeps that session going until the run is done. */
export async function bind(context: CliContext, flags: BindFlags, run: string): Promise<number> {
  await requireOutsideWork(context, run, 'bound')
  const session = sessionFrom(flags, process.env)
  requireStore(context, run)
  return await withStore(context, async (store) => {
    const { status } = await knownState(store, run)
    const folder = dirname(context.project.storePath)
    const options = { store, folder, clock: systemClock, processes: machineProcesses, isForced: true }
    if ((await bindRun(options, run, session)) === 'left-alone')
      throw new PawlError('run.over', `Run ${run} is ${status}: there is nothing left to bind.`)
    if (context.isJson) context.terminal.json({ run, ...session })
    else context.terminal.say(`Run ${run} belongs to session ${session.session} of ${session.agent} now.`)
    return EXIT.done
  })
}

/**
 * Which session is meant: as the flags say, or the one in which this command was called, where its agent tells. `saidBy` is how the
 * command takes a session, for the error.
 */
export function sessionFrom(
  { session, agent }: BindFlags,
  env: NodeJS.ProcessEnv,
  saidBy = '--session ID --agent NAME',
): BoundSession {
  if (agent !== undefined && !INSTALLABLE.some((each) => each === agent))
    throw new PawlError('usage.agent', `"${agent}" is none of ${INSTALLABLE.join(', ')}.`, { value: agent })
  const found = TELLING.find(([name]) => env[name] !== undefined && env[name] !== '')
  if (session !== undefined) {
    if (agent !== undefined) return { agent, session }
    if (found) return { agent: found[1], session }
    throw new PawlError('usage.agent', `Whose session it is has to be said: --agent ${INSTALLABLE.join('|')}.`)
  }
  const id = found && env[found[0]]
  if (found && id !== undefined && (agent === undefined || agent === found[1])) return { agent: found[1], session: id }
  const silent = SILENT.find(([name]) => env[name] !== undefined && env[name] !== '')
  const why = silent
    ? `${silent[1]} does not tell the programs it starts which session they belong to (${silent[2]}), so it`
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
  ['GEMINI_CLI', 'Gemini CLI', 'its /stats shows the id'],
  ['QWEN_CODE', 'Qwen Code', 'its /stats shows the id'],
] as const
