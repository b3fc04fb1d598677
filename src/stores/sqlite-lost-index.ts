import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError } from '../core/pawl-error.ts'
import { isBusy } from './sqlite-error.ts'

/** A process that opens the database makes its log a moment before the index of it. */
const MAKING_MS_MAX = 1000

const PAUSE_MS = 20

/**
 * Refuses a database whose log has lost its index (`-shm`) while another process has it open. SQLite would make a new index, with
 * locks that the other process does not see, and the two would write over each other. Where nobody has it open, as after a copy was
 * brought back, the log is taken into the file.
 */
export async function refuseLostIndex(path: string): Promise<void> {
  const giveUpAt = Date.now() + MAKING_MS_MAX
  while (existsSync(`${path}-wal`) && !existsSync(`${path}-shm`) && isOpenElsewhere(path)) {
    if (Date.now() >= giveUpAt) throw lostIndex(path)
    await sleep(PAUSE_MS)
  }
}

/** Asks for the whole file, which makes no index. Any other trouble is told when the file is opened. */
function isOpenElsewhere(path: string): boolean {
  const sqlite = process.getBuiltinModule('node:sqlite')
  let database: DatabaseSync | undefined
  try {
    database = new sqlite.DatabaseSync(path, { timeout: 0 })
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get()
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    database?.close()
  }
}

function lostIndex(path: string): PawlError {
  const message = `${path}-shm was deleted while another process has ${path} open, so using it now would destroy what that one writes: wait until that process has ended, or end it, then try again.`
  return new PawlError('store.tampered', message, { value: { path } })
}
