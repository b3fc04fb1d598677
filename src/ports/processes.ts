import type { ProcessIdentity } from '../core/event-data.ts'

/** What the runner must know of the machine's processes. */
export interface Processes {
  self(): ProcessIdentity
  /** Ends a process group that outlived its runner. Never touches a group it cannot prove to be that one. */
  end(process: ProcessIdentity): Promise<'ended' | 'gone' | 'alive'>
}
