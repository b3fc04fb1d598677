import { statSync } from 'node:fs'

/** What a closed SQLite database takes on disk: the file and those beside it, if they are still there. */
export function databaseBytes(path: string): number {
  return ['', '-wal', '-shm'].reduce((sum, suffix) => sum + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0), 0)
}
