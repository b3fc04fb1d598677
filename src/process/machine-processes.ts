import type { Processes } from './processes.ts'
import { endProcessGroup } from './end-process-group.ts'
import { currentProcessIdentity } from './process-identity.ts'

/** The processes of this machine. */
export const machineProcesses: Processes = {
  self: currentProcessIdentity,
  end: async (process) => ENDS[await endProcessGroup(process)],
}

const ENDS = { ended: 'ended', 'already-gone': 'gone', 'still-there': 'alive', 'left-alone': 'left-alone' } as const
