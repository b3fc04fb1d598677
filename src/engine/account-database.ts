import type { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { ProcessIdentity } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import { isProcessAlive } from '../process/process-identity.ts'
import { stateFolder } from '../process/state-folder.ts'
import { makeFile } from '../stores/sqlite-connection.ts'

/** Works on a small database that all runs of an account share, in one transaction: a crash leaves all of it or nothing. */
export function withAccountDatabase<Result>(
  name: string,
  table: string,
  work: (database: DatabaseSync) => Result,
  folder = stateFolder(),
): Result {
  const path = join(folder, name)
  let database: DatabaseSync | undefined
  try {
    makeFile(path, 'a')
    database = new (process.getBuiltinModule('node:sqlite').DatabaseSync)(path, { timeout: BUSY_TIMEOUT_MS })
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${table}; BEGIN IMMEDIATE`)
    const result = work(database)
    database.exec('COMMIT')
    return result
  } catch (cause) {
    throw new PawlError(
      'account.unusable',
      `${path} can't be used: ${(cause as Error).message}\nFix or delete it, then resume.`,
      { value: path, cause },
    )
  } finally {
    database?.close()
  }
}

/** SQLite itself waits this long for other processes; each needs milliseconds. */
const BUSY_TIMEOUT_MS = 5000

/** Whether the process that a row names is gone for sure. */
export function isGone(holder: unknown): boolean {
  return isProcessAlive(JSON.parse(String(holder)) as ProcessIdentity) === false
}
