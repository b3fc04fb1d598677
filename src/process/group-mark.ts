import { readFileSync } from 'node:fs'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { ProcessEntry } from './process-table.ts'

/** Name of the variable by which what a program that we started has started itself can be told, wherever it went. */
export const GROUP_VARIABLE = 'PAWL_PROCESS_GROUP'

/**
 * The value of `GROUP_VARIABLE`: the same for no other program on this machine. A Pawl within the work of another one gives what it
 * starts a mark of its own in place of the outer one, so each of the two finds only what it started itself.
 */
export function groupMark(identity: ProcessIdentity): string {
  return `${identity.pid}@${identity.startedAt}`
}

/** Whether a process inherited the mark. Only Linux shows a process's environment; elsewhere nothing is proved. */
export function bearsMark(entry: ProcessEntry, identity: ProcessIdentity): boolean {
  if (process.platform !== 'linux') return false
  try {
    return readFileSync(`/proc/${entry.pid}/environ`, 'utf8')
      .split('\0')
      .includes(`${GROUP_VARIABLE}=${groupMark(identity)}`)
  } catch {
    // It has ended meanwhile, or is not ours to read: either way it proves nothing.
    return false
  }
}
