import type { ProcessIdentity } from '../core/event-data.ts'
import { endProcessGroup } from './end-process-group.ts'
import { currentProcessIdentity } from './process-identity.ts'

/** What the engine must know about the machine's processes. */
export interface Processes {
  self(): ProcessIdentity
  /**
   * Ends a process group that outlived its engine. `gone`: nothing was left. `alive`: it couldn't be ended. `left-alone`: nothing
   * proved that it is the recorded one (another host or container), so nothing was signalled.
   */
  end(process: ProcessIdentity): Promise<'ended' | 'gone' | 'alive' | 'left-alone'>
}

/** The processes of this machine. */
export const machineProcesses: Processes = {
  self: currentProcessIdentity,
  end: async (process) => ENDS[await endProcessGroup(process)],
}

const ENDS = { ended: 'ended', 'already-gone': 'gone', 'still-there': 'alive', 'left-alone': 'left-alone' } as const
