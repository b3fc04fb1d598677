import type { DatabaseSync } from 'node:sqlite'
import { PawlError } from '../../core/pawl-error.ts'

/** Version of the tables, kept as `user_version` in the file. */
const SCHEMA_VERSION = 1

/** `PAWL` in ASCII, kept as `application_id`: tells our file from any other SQLite database. */
const APPLICATION_ID = 0x5041574c

/**
 * Rows of events and texts are large, so these are plain rowid tables. `hash` stands before `event` so that reading it never
 * touches the overflow pages of a large event. `event` is the canonical text that the hash covers.
 */
const TABLES = `
  CREATE TABLE runs (id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE events (
    run INTEGER NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL, event TEXT NOT NULL, UNIQUE (run, seq)
  ) STRICT;
  CREATE TABLE claims (
    run INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, pid INTEGER NOT NULL, started_at TEXT NOT NULL, host TEXT NOT NULL,
    since INTEGER NOT NULL, renewed_at INTEGER NOT NULL, is_released INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE texts (sha256 BLOB NOT NULL UNIQUE, is_deflated INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
  CREATE TABLE snapshots (
    run INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL, version INTEGER NOT NULL, state TEXT NOT NULL
  ) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`

/** Makes the tables in a new file. */
export function makeSchema(database: DatabaseSync, path: string): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have made them while we waited for the lock.
    if (!hasSchema(database, path)) database.exec(TABLES)
    database.exec('COMMIT')
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

/** Whether the file has our tables; `false` for a new file. One of a newer Pawl, or of another program, is refused. */
export function hasSchema(database: DatabaseSync, path: string): boolean {
  const application = pragma(database, 'application_id')
  if (application === 0 && database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined) return false
  if (application !== APPLICATION_ID) {
    throw new PawlError('store.not-a-journal', `${path} is a database of another program: choose another path for the journal.`, {
      value: path,
    })
  }
  const version = pragma(database, 'user_version')
  if (version === SCHEMA_VERSION) return true
  throw new PawlError(
    'store.newer-schema',
    `${path} was written by a newer Pawl (schema ${version}, this one knows ${SCHEMA_VERSION}): update Pawl to use it.`,
    { value: version },
  )
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}
