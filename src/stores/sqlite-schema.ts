import type { DatabaseSync } from 'node:sqlite'
import { PawlError } from '../core/pawl-error.ts'

/** Version of the tables, kept as `user_version` in the file. */
const SCHEMA_VERSION = 5

/** `PAWL` in ASCII, kept as `application_id`: distinguishes our file from any other SQLite database. */
const APPLICATION_ID = 0x5041574c

/** Places per run: 2^32, so that two million runs fit into JavaScript's numbers. */
export const PLACES_PER_RUN = 2 ** 32

const PLACES_OF_RUN = `place > runs.id * ${PLACES_PER_RUN} AND place < (runs.id + 1) * ${PLACES_PER_RUN}`

/** The place of the first event of `runs.id`, as a subquery; null if it has none. */
export const FIRST_PLACE_OF_RUN = `SELECT min(place) FROM events WHERE ${PLACES_OF_RUN}`

/** The same for its last event. */
export const LAST_PLACE_OF_RUN = `SELECT max(place) FROM events WHERE ${PLACES_OF_RUN}`

/**
 * Rows of events and texts are large, so these are plain rowid tables. The rowid of an event is its place, `run * 2^32 + seq`: a
 * separate index would cost one more page with every append. `hash` comes before `event` so that reading it never touches the
 * overflow pages of a large event. `event` is the canonical text that the hash covers.
 */
const EVENTS = `
  CREATE TABLE events (
    place INTEGER PRIMARY KEY, hash BLOB NOT NULL, event TEXT NOT NULL,
    run INTEGER AS (place / ${PLACES_PER_RUN}) VIRTUAL, seq INTEGER AS (place % ${PLACES_PER_RUN}) VIRTUAL
  ) STRICT;
`

/**
 * Hashes are in random order, so an index on them would cost one more page with every text. `text_ids` is therefore filled with a
 * thousand texts at a time; those after `last_id` are not in it yet.
 */
const TEXTS = `
  CREATE TABLE texts (id INTEGER PRIMARY KEY, sha256 BLOB NOT NULL, is_deflated INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
  CREATE TABLE text_ids (sha256 BLOB PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE indexed_texts (last_id INTEGER NOT NULL) STRICT;
  INSERT INTO indexed_texts VALUES (0);
`

/** Adds the texts after `last_id` to `text_ids`, except those that it already has. */
export const INDEX_TEXTS = `
  INSERT OR IGNORE INTO text_ids
    SELECT sha256, id FROM texts WHERE id > (SELECT last_id FROM indexed_texts) ORDER BY sha256`

/** Deletes those exceptions: the same text exists under another id. */
export const DROP_DOUBLE_TEXTS = `
  DELETE FROM texts WHERE id > (SELECT last_id FROM indexed_texts)
    AND id <> (SELECT id FROM text_ids WHERE text_ids.sha256 = texts.sha256)`

/** After texts were dropped: the next text may get the id of a dropped one, and would be taken for an indexed text. */
export const LOWER_LAST_ID = 'UPDATE indexed_texts SET last_id = min(last_id, (SELECT coalesce(max(id), 0) FROM texts))'

/** Marks all present texts as indexed. */
export const TEXTS_ARE_INDEXED = 'UPDATE indexed_texts SET last_id = (SELECT coalesce(max(id), 0) FROM texts)'

/**
 * What lists of runs show and search: caches, written when runs are listed and never by an append, which they would slow down. So a run that
 * has moved on has a stale one until somebody looks.
 */
const SUMMARIES = `
  CREATE TABLE summaries (
    run INTEGER PRIMARY KEY, seq INTEGER NOT NULL, version INTEGER NOT NULL, status TEXT NOT NULL, is_waiting INTEGER NOT NULL,
    loop TEXT NOT NULL, agent TEXT NOT NULL, text TEXT NOT NULL, started_at REAL NOT NULL, updated_at REAL NOT NULL,
    iterations INTEGER NOT NULL, cost_usd REAL, row TEXT NOT NULL
  ) STRICT;
`

/** Runs that workers drive, and which project had its turn when: turns are counted, since a clock can stop. */
const QUEUE = `
  CREATE TABLE queue (
    run INTEGER PRIMARY KEY, project TEXT NOT NULL, repository TEXT NOT NULL, repository_runs_max INTEGER, labels TEXT NOT NULL,
    priority REAL NOT NULL, due_at REAL, event_version INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE queue_turns (project TEXT PRIMARY KEY, turn INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

/** Makes a queued run due, unless it is already. */
export const WAKE = 'UPDATE queue SET due_at = min(coalesce(due_at, ?1), ?1) WHERE run = ?2'

const TABLES = `
  CREATE TABLE runs (id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE) STRICT;
  ${EVENTS}
  ${TEXTS}
  CREATE TABLE claims (
    run INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, pid INTEGER NOT NULL, started_at TEXT NOT NULL, host TEXT NOT NULL,
    since INTEGER NOT NULL, renewed_at INTEGER NOT NULL, is_released INTEGER NOT NULL, renewed_up_ms INTEGER
  ) STRICT;
  CREATE TABLE snapshots (
    run INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL, version INTEGER NOT NULL, state TEXT NOT NULL
  ) STRICT;
  ${SUMMARIES}
  ${QUEUE}
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`

/** Migrates the tables from version 1, which had separate indexes for events and texts. */
const FROM_VERSION_1 = `
  ALTER TABLE events RENAME TO events_1;
  ${EVENTS}
  INSERT INTO events (place, hash, event) SELECT run * ${PLACES_PER_RUN} + seq, hash, event FROM events_1 ORDER BY run, seq;
  DROP TABLE events_1;
  ALTER TABLE texts RENAME TO texts_1;
  ${TEXTS}
  INSERT INTO texts SELECT rowid, sha256, is_deflated, content FROM texts_1;
  DROP TABLE texts_1;
  ${INDEX_TEXTS};
  ${TEXTS_ARE_INDEXED};
  PRAGMA user_version = 2;
`

/** Version 2 knew of a claim's renewal only by the wall clock, which can jump. */
const FROM_VERSION_2 = `
  ALTER TABLE claims ADD COLUMN renewed_up_ms INTEGER;
  PRAGMA user_version = 3;
`

/** Version 3 had no summaries. */
const FROM_VERSION_3 = `
  ${SUMMARIES}
  PRAGMA user_version = 4;
`

/** Version 4 had no queue. */
const FROM_VERSION_4 = `
  ${QUEUE}
  PRAGMA user_version = 5;
`

/** Creates the tables in a new file, or migrates those of an older Pawl, in one transaction. */
export function makeSchema(database: DatabaseSync, path: string): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have done it while we waited for the lock.
    const version = schemaVersion(database, path)
    if (version === 0) database.exec(TABLES)
    if (version === 1) database.exec(FROM_VERSION_1)
    if (version === 1 || version === 2) database.exec(FROM_VERSION_2)
    if (version > 0 && version < 4) database.exec(FROM_VERSION_3)
    if (version > 0 && version < SCHEMA_VERSION) database.exec(FROM_VERSION_4)
    database.exec('COMMIT')
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}

/** Whether the file has the current tables. Refuses a file of a newer Pawl or of another program. */
export function hasSchema(database: DatabaseSync, path: string): boolean {
  return schemaVersion(database, path) === SCHEMA_VERSION
}

/** The version of the tables in the file; 0 for a new file. */
function schemaVersion(database: DatabaseSync, path: string): number {
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
  // Read after the tables: another process may be creating both right now, and a process that sees the tables also sees the id.
  const application = pragma(database, 'application_id')
  if (isEmpty && application === 0) return 0
  if (application !== APPLICATION_ID) {
    throw new PawlError('store.not-a-journal', `${path} is a database of another program: choose another path for the journal.`, {
      value: path,
    })
  }
  const version = pragma(database, 'user_version')
  if (version <= SCHEMA_VERSION) return version
  throw new PawlError(
    'store.newer-schema',
    `${path} was written by a newer Pawl (schema ${version}, this one knows ${SCHEMA_VERSION}): update Pawl to use it.`,
    { value: version },
  )
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}
