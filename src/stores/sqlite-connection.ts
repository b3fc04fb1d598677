import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy, storeError } from './sqlite-error.ts'
import { refuseLostIndex } from './sqlite-lost-index.ts'
import { hasSchema, makeSchema } from './sqlite-schema.ts'

/** An open database file, with waiting for other processes built in. */
export interface SqliteConnection {
  readonly database: DatabaseSync
  readonly path: string
  /**
   * Runs `work`, which must not await, as one write transaction; nothing of it is kept when it throws. `afterCommit` is called at
   * once when it is kept, before anything else can happen in this process. A promise only when another process has to be waited for.
   */
  transact<Result>(work: () => Result, afterCommit?: () => void): Result | Promise<Result>
  /** The same for what a power cut may take back, like a claim: it waits for no disk. A later `transact` makes it durable, too. */
  transactLightly<Result>(work: () => Result): Promise<Result>
  /** Runs `work`, which only reads. */
  query<Result>(work: () => Result): Promise<Result>
}

export interface SqliteConnectionOptions {
  readonly path: string
  readonly synchronous: 'FULL' | 'NORMAL'
  /** How many pages the log may have before it is taken into the file. */
  readonly logPagesMax?: number
  /** How long an operation waits for other processes before it gives up with `store.busy`. Default 60,000. */
  readonly busyMsMax?: number
}

/** Four times SQLite's default, so fewer checkpoints: each costs two syncs, and a log of 16 MB is no burden. */
export const LOG_PAGES_MAX = 4000

/** How long SQLite itself waits for a lock. Short, because it blocks the whole process. */
const BUSY_TIMEOUT_MS = 10

const PAUSE_MS_MAX = 40

/** Opens the file, making it and its folder where they are missing. One that another process could no longer share is refused. */
export async function openSqlite(options: SqliteConnectionOptions): Promise<SqliteConnection> {
  const { path, synchronous, busyMsMax = 60_000 } = options
  const patience = { path, busyMsMax }
  await refuseLostIndex(path)
  const database = await retryWhileBusy(patience, () => {
    makeFile(path)
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
  // Asked for here and not imported: an older Node has none, and could not even say that it is too old.
  const sqlite = process.getBuiltinModule('node:sqlite')
  const database = new sqlite.DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false })
  try {
    // Asked first: the mode is written into the file, and a file of another program is to stay as it is.
    const isReady = hasSchema(database, path)
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${logPagesMax}`)
    // Without fullfsync macOS keeps what was synced in the drive's own cache, where a power cut loses it.
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA fullfsync = ${synchronous === 'FULL' ? 'ON' : 'OFF'}`)
    if (!isReady) makeSchema(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Journals hold prompts and code, so only the owner may read them, and git shall not meet them. SQLite gives its side files the same mode. */
function makeFile(path: string): void {
  const folder = dirname(path)
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (isNew && basename(folder) === '.pawl') writeFileSync(join(folder, '.gitignore'), '*\n')
  closeSync(openSync(path, 'a', 0o600))
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

/** SQLite's own waiting is neither fair nor bounded over many processes; pauses of random length let everybody through. */
async function tryAgain<Result>({ path, busyMsMax }: Patience, attempt: () => Result): Promise<Result> {
  const giveUpAt = Date.now() + busyMsMax
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    await sleep(pauseMs * (0.5 + Math.random()))
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || Date.now() >= giveUpAt) throw storeError(error, path)
    }
  }
}
