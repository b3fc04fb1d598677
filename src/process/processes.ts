import type { ProcessIdentity } from '../core/event-data.ts'
import { endProcessGroup } from './end-process-group.ts'
import { currentProcessIdentity } from './process-identity.ts'

/** What the runner must know of the machine's processes. */
export interface Processes {
  self(): ProcessIdentity
  /**
   * Ends a process group that outlived its runner. `gone`: nothing of it was left. `alive`: it could not be ended. `left-alone`: it
   * could not be proved to be that one (another host or container), so nothing was touched.
   */
  end(process: ProcessIdentity): Promise<'ended' | 'gone' | 'alive' | 'left-alone'>
}

/** The processes of this machine. */
export const machineProcesses: Processes = {
  self: currentProcessIdentity,
  end: async (process) => ENDS[await endProcessGroup(process)],
}

const ENDS = { ended: 'ended', 'already-gone': 'gone', 'still-there': 'alive', 'left-alone': 'left-alone' } as const
