import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError } from '../core/pawl-error.ts'
import { steadyMs } from '../process/clock.ts'
import { hasSchema, makeSchema } from './sqlite-schema.ts'
import { makeStoreFolder } from './store-folder.ts'

/** An open database file. Its methods wait for other processes. */
export interface SqliteConnection {
  readonly database: DatabaseSync
  readonly path: string
  /**
   * Runs `work`, which must not await, as one write transaction; if it throws, nothing is written. `afterCommit` is called right
   * after the commit, before anything else can happen in this process. Returns a promise only if it must wait for another process.
   */
  transact<Result>(work: () => Result, afterCommit?: () => void): Result | Promise<Result>
  /** The same without waiting for the disk: a power cut may undo it, as with a claim. A later `transact` makes it durable. */
  transactLightly<Result>(work: () => Result): Promise<Result>
  /** Runs `work`, which only reads. */
  query<Result>(work: () => Result): Promise<Result>
}

export interface SqliteConnectionOptions {
  readonly path: string
  readonly synchronous: 'FULL' | 'NORMAL'
  /** How many pages the log may have before a checkpoint. Default 4,000. */
  readonly logPagesMax?: number
  /** How long an operation waits for other processes before it gives up with `store.busy`. Default 60,000. */
  readonly busyMsMax?: number
}

/** Four times SQLite's default, so fewer checkpoints: each costs two syncs, and a log of 16 MB does no harm. */
export const LOG_PAGES_MAX = 4000

/** How long SQLite itself waits for a lock. Short, because it blocks the whole process. */
const BUSY_TIMEOUT_MS = 10

const PAUSE_MS_MAX = 40

/** Opens the file, and creates it and its folder if necessary. Refuses a file that another process could no longer share. */
export async function openSqlite(options: SqliteConnectionOptions): Promise<SqliteConnection> {
  const { path, synchronous, busyMsMax = 60_000 } = options
  const patience = { path, busyMsMax }
  await refuseLostIndex(path)
  const database = await retryWhileBusy(patience, () => {
    makeFile(path, 'a')
    return openDatabase(options)
  })
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  const transacted = <Result>(work: () => Result, afterCommit?: () => void): Result => {
    begin.get()
    try {
      const result = work()
      commit.get()
      afterCommit?.()
      return result
    } finally {
      if (database.isTransaction) rollback.run()
    }
  }
  return {
    database,
    path,
    transact: (work, afterCommit) => retryWhileBusy(patience, () => transacted(work, afterCommit)),
    transactLightly: async (work) =>
      retryWhileBusy(patience, () => {
        database.exec('PRAGMA synchronous = NORMAL')
        try {
          return transacted(work)
        } finally {
          database.exec(`PRAGMA synchronous = ${synchronous}`)
        }
      }),
    query: async (work) => retryWhileBusy(patience, work),
  }
}

function openDatabase({ path, synchronous, logPagesMax = LOG_PAGES_MAX }: SqliteConnectionOptions): DatabaseSync {
  // Not imported at the top: an older Node has no such module, and could not even say that it is too old.
  const sqlite = process.getBuiltinModule('node:sqlite')
  const database = new sqlite.DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false })
  try {
    // Checked first: the mode is written into the file, and another program's file must stay as it is.
    const isReady = hasSchema(database, path)
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${logPagesMax}`)
    // Without fullfsync, macOS leaves synced data in the drive's cache, where a power cut loses it.
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA fullfsync = ${synchronous === 'FULL' ? 'ON' : 'OFF'}`)
    if (!isReady) makeSchema(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Creates the file if it is missing (`a`) or only then (`wx`). Journals contain prompts and code, so only the owner may read them, and
 * git ignores them. SQLite gives its side files the same mode.
 */
export function makeFile(path: string, flags: 'a' | 'wx'): void {
  makeStoreFolder(dirname(path))
  closeSync(openSync(path, flags, 0o600))
}

interface Patience {
  readonly path: string
  readonly busyMsMax: number
}

function retryWhileBusy<Result>(patience: Patience, attempt: () => Result): Result | Promise<Result> {
  try {
    return attempt()
  } catch (error) {
    if (!isBusy(error)) throw storeError(error, patience.path)
    return tryAgain(patience, attempt)
  }
}

/** SQLite's own waiting is neither fair nor bounded with many processes; with random pauses every process gets its turn. */
async function tryAgain<Result>({ path, busyMsMax }: Patience, attempt: () => Result): Promise<Result> {
  const giveUpAt = steadyMs() + busyMsMax
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    await sleep(pauseMs * (0.5 + Math.random()))
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || steadyMs() >= giveUpAt) throw storeError(error, path)
    }
  }
}

/** Turns an error of SQLite or the file system into a `PawlError` that says what to do. */
export function storeError(error: unknown, path: string): PawlError {
  if (error instanceof PawlError) return error
  const { code, errcode = 0, message } = error as { code?: string; errcode?: number; message?: string }
  if (code === 'ERR_INVALID_STATE') return storeClosed(path)
  const known = (code === 'ERR_SQLITE_ERROR' ? BY_SQLITE_CODE[errcode & 0xff] : BY_SYSTEM_CODE[code ?? '']) ?? 'failed'
  return new PawlError(`store.${known}`, `${SENTENCES[known](path)} (${message ?? String(error)})`, { value: path, cause: error })
}

/** Whether SQLite could not get a lock in time, so that trying again helps. */
export function isBusy(error: unknown): boolean {
  const { code, errcode = 0 } = error as { code?: string; errcode?: number }
  return code === 'ERR_SQLITE_ERROR' && ((errcode & 0xff) === SQLITE_BUSY || (errcode & 0xff) === SQLITE_LOCKED)
}

/** The store was used after `close`. */
export function storeClosed(path: string): PawlError {
  return new PawlError('store.closed', `The store at ${path} was used after it was closed: open it again with sqliteStore().`, {
    value: path,
  })
}

type Kind = 'disk-full' | 'read-only' | 'corrupt' | 'path' | 'io' | 'busy' | 'failed'

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6

const BY_SQLITE_CODE: Readonly<Record<number, Kind>> = {
  3: 'read-only', // PERM
  [SQLITE_BUSY]: 'busy',
  [SQLITE_LOCKED]: 'busy',
  8: 'read-only', // READONLY
  10: 'io', // IOERR
  11: 'corrupt', // CORRUPT
  13: 'disk-full', // FULL
  14: 'read-only', // CANTOPEN
  26: 'corrupt', // NOTADB
}

const BY_SYSTEM_CODE: Readonly<Record<string, Kind>> = {
  EACCES: 'read-only',
  EPERM: 'read-only',
  EROFS: 'read-only',
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EIO: 'io',
  ENOTDIR: 'path',
  EISDIR: 'path',
  EEXIST: 'path',
  ENAMETOOLONG: 'path',
}

const SENTENCES: Readonly<Record<Kind, (path: string) => string>> = {
  'disk-full': (path) =>
    `The disk is full, so nothing more can be written to ${path}: free some space and try again; what was acknowledged is there.`,
  'read-only': (path) =>
    `${path} cannot be opened for writing: give this user the right to write the file and its folder, or choose another path.`,
  corrupt: (path) =>
    `${path} is damaged or not a SQLite database: move it away, or bring back a copy of it and of its -wal file.`,
  path: (path) =>
    `${path} cannot be a file: a part of this path is not a folder, or the path names a folder; choose another path.`,
  io: (path) =>
    `Reading or writing ${path} failed: check the disk and that its folder is on a local file system, then try again.`,
  busy: (path) => `${path} was locked by other processes for too long: see what else has it open, then try again.`,
  failed: (path) => `SQLite refused to work on ${path}.`,
}

/** A process that opens the database creates its log a moment before the log's index. */
const MAKING_MS_MAX = 1000

const PAUSE_MS = 20

/**
 * Refuses a database whose log has lost its index (`-shm`) while another process has it open. SQLite would create a new index, with
 * locks that the other process does not see, and the two would overwrite each other. If no process has it open, for example after
 * restoring a copy, SQLite recovers the log.
 */
async function refuseLostIndex(path: string): Promise<void> {
  const giveUpAt = steadyMs() + MAKING_MS_MAX
  while (existsSync(`${path}-wal`) && !existsSync(`${path}-shm`) && isOpenElsewhere(path)) {
    if (steadyMs() >= giveUpAt) throw lostIndex(path)
    await sleep(PAUSE_MS)
  }
}

/** Locks the whole file, which creates no index. Any other problem shows when the file is opened. */
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
