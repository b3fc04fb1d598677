import type { FileChange } from './event-data.ts'

/** What a restore put back, as far as its workspace tells it. */
export interface RestoredFiles {
  /** As against the files just before; at most `FILES_KEPT_MAX`. */
  readonly files?: readonly FileChange[]
  /** Counts all. */
  readonly filesChanged?: number
}
