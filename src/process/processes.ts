import type { ProcessIdentity } from '../core/event-data.ts'

/** What the runner must know of the machine's processes. */
export interface Processes {
  self(): ProcessIdentity
  /**
   * Ends a process group that outlived its runner. `gone`: nothing of it was left. `alive`: it could not be ended. `left-alone`: it
   * could not be proved to be that one (another host or container), so nothing was touched.
   */
  end(process: ProcessIdentity): Promise<'ended' | 'gone' | 'alive' | 'left-alone'>
}
