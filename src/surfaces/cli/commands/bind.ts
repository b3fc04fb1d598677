import { dirname } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { bindRun } from '../../../engine/bind-run.ts'
import { knownState } from '../../../engine/person-facts.ts'
import { systemClock } from '../../../process/clock.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { requireOutsideWork } from '../run-permissions.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import { type SessionFlags, sessionFrom } from '../agent-session.ts'
import { sessionsAround } from '../../../engine/own-work.ts'
import { belowFloor } from '../session-floor.ts'
import { requireStore } from '../stored-run.ts'

/** Makes a run belong to an agent's session: its hook keeps that session going until the run is done. */
export async function bind(context: CliContext, flags: SessionFlags, run: string): Promise<number> {
  const session = sessionFrom(flags, process.env)
  await requireOutsideWork(context, run, 'bound', session)
  requireStore(context, run)
  const written = await loadConfig(context.project.configPath)
  return await withStore(context, async (store) => {
    const { status, config } = await knownState(store, run)
    const lacking = sessionsAround().length === 0 ? undefined : belowFloor(config, written)
    if (lacking !== undefined)
      throw new PawlError(
        'run.below-floor',
        `Run ${run} lacks ${lacking}, which pawl.yaml asks for. An agent can't bind such a run; a person can, from a terminal of their own.`,
        { value: run },
      )
    const folder = dirname(context.project.storePath)
    const options = { store, folder, clock: systemClock, processes: machineProcesses, isForced: true }
    if ((await bindRun(options, run, session)) === 'left-alone')
      throw new PawlError('run.over', `Run ${run} is ${status}: there is nothing left to bind.`)
    if (context.isJson) context.terminal.json({ run, ...session })
    else context.terminal.say(`Run ${run} belongs to session ${session.session} of ${session.agent} now.`)
    return EXIT.done
  })
}
