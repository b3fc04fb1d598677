import type { Processes } from '../ports/processes.ts'
import { endProcessGroup } from './end-process-group.ts'
import { currentProcessIdentity } from './process-identity.ts'

/** The processes of this machine. */
export const machineProcesses: Processes = {
  self: currentProcessIdentity,
  end: async (process) => {
    const end = await endProcessGroup(process)
    if (end === 'ended') return 'ended'
    return end === 'still-there' ? 'alive' : 'gone'
  },
}
