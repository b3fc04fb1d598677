import { closeSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { PawlError } from '../core/pawl-error.ts'

/**
 * Opens the cache of a codebase. One that was made by another version or for another folder is begun afresh, and so is one that is damaged;
 * nothing in it is more than a copy of what the files say. Without a path it lives in memory.
 */
export function openCodeDatabase(root: string, cachePath: string | undefined): DatabaseSync {
  if (cachePath === undefined) return prepared(':memory:', root)
  const path = resolve(cachePath)
  try {
    mkdirSync(dirname(path), { recursive: true })
    refuseForeign(path)
    return prepared(path, root)
  } catch (error) {
    if (error instanceof PawlError) throw error
    if (!isDamaged(error)) throw unusable(path, error)
    dropCodeDatabase(path)
    return prepared(path, root)
  }
}

/** Forgets a cache that is damaged; its connection must be closed. */
export function dropCodeDatabase(cachePath: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(resolve(cachePath) + ending, { force: true })
}

/** Whether an error says that the cache is damaged: then it can be dropped and begun afresh. */
export function isDamaged(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode ?? 0
  return code === SHORT_READ || [CORRUPT, NO_DATABASE].includes(code & 0xff)
}

const CORRUPT = 11
const NO_DATABASE = 26
const SHORT_READ = 522

/** Bytes 68 to 71 of the file: that it is ours. */
const APPLICATION_ID = 0x7061_636f
/** Raised when the tables or what is read out of files change: an older cache is then begun afresh. */
const VERSION = 2
const BUSY_MS_MAX = 10_000

function prepared(path: string, root: string): DatabaseSync {
  // Asked for here and not imported: an older Node has none, and could not even say that it is too old.
  const sqlite = process.getBuiltinModule('node:sqlite')
  const database = new sqlite.DatabaseSync(path, { timeout: BUSY_MS_MAX })
  try {
    // Before the write-ahead log is switched on, so that it stands in the file itself: `refuseForeign` reads it there.
    if (database.prepare('PRAGMA application_id').get()?.['application_id'] === 0) {
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    }
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY')
    database.exec('BEGIN IMMEDIATE')
    if (!isOurs(database, root)) recreate(database, root)
    database.exec('COMMIT')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function isOurs(database: DatabaseSync, root: string): boolean {
  const version = database.prepare('PRAGMA user_version').get()?.['user_version']
  if (version !== VERSION) return false
  return database.prepare(`SELECT value FROM facts WHERE name = 'root'`).get()?.['value'] === root
}

const TABLES = ['words_vocabulary', 'words', 'edges', 'symbols', 'files', 'facts']

function recreate(database: DatabaseSync, root: string): void {
  for (const table of TABLES) database.exec(`DROP TABLE IF EXISTS ${table}`)
  database.exec(`
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE files (
      id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, language TEXT,
      bytes INTEGER NOT NULL, mtime REAL NOT NULL, ctime REAL NOT NULL, looked_at REAL NOT NULL, hash TEXT NOT NULL, code TEXT
    );
    CREATE TABLE symbols (file INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, line INTEGER NOT NULL, line_end INTEGER NOT NULL);
    CREATE INDEX symbols_by_name ON symbols (name);
    CREATE INDEX symbols_by_letters ON symbols (lower(name));
    CREATE INDEX symbols_by_file ON symbols (file);
    CREATE TABLE edges (source INTEGER NOT NULL, target INTEGER NOT NULL, line INTEGER NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID;
    CREATE INDEX edges_by_target ON edges (target);
    CREATE VIRTUAL TABLE words USING fts5(
      path, symbols, body, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0'
    );
    CREATE VIRTUAL TABLE words_vocabulary USING fts5vocab(words, row);
    PRAGMA user_version = ${VERSION};
  `)
  database.prepare(`INSERT INTO facts VALUES ('root', ?)`).run(root)
}

/** A file that somebody else made is never begun afresh. */
function refuseForeign(path: string): void {
  const header = Buffer.alloc(72)
  let length: number
  try {
    const descriptor = openSync(path, 'r')
    try {
      length = readSync(descriptor, header, 0, header.length, 0)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (length === 0 || (header.toString('latin1', 0, 15) === 'SQLite format 3' && header.readUInt32BE(68) === APPLICATION_ID))
    return
  throw new PawlError(
    'codebase.foreign-cache',
    `${path} is not a cache of a codebase: name another file as cachePath, or delete this one.`,
    { value: path },
  )
}

function unusable(path: string, cause: unknown): PawlError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new PawlError(
    'codebase.cache',
    `The cache ${path} cannot be used (${why}): make its folder writable or name another cachePath.`,
    {
      cause,
    },
  )
}
