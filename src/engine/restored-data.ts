import { type EventData, FILES_KEPT_MAX } from '../core/event-data.ts'
import type { Restoration } from '../workspaces/workspace.ts'

/** What a restore came to, as a fact has it. */
export function restoredData(key: string, { tree, savedAs, files }: Restoration): EventData['workspace.restored'] {
  return {
    key,
    tree,
    ...(savedAs === undefined ? {} : { savedAs }),
    ...(files === undefined ? {} : { files: files.slice(0, FILES_KEPT_MAX), filesChanged: files.length }),
  }
}
