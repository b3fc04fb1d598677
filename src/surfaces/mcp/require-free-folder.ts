import { PawlError } from '../../core/pawl-error.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { runInFolder } from '../../engine/run-in-folder.ts'
import { AGENT } from './outside-agent.ts'
import type { McpProject } from './project.ts'

/**
 * Refuses to begin beside a run that Pawl drives in the same folder: the two would undo each other's work. Loops that agents drive are
 * no such thing, since their runs are held only while a call lasts.
 */
export async function requireFreeFolder({ store }: McpProject, run: string, config: RunConfig): Promise<void> {
  const other = await runInFolder({ store, isDriven }, run, config)
  if (other === undefined) return
  const message = `Run ${other} is being driven in this folder, and two runs would undo each other's work: wait until it is over (run_list), or end it with: pawl abort ${other}`
  throw new PawlError('run.same-folder', message, { value: other })
}

function isDriven({ config: { agent } }: Pick<State, 'config'>): boolean {
  return agent.name !== AGENT
}
