import { statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { RunId, Seq } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { steadyMs } from '../process/clock.ts'
import { type ChainRow, tamperedJournal, type WrongEvent, wrongIn } from './chain-rows.ts'
import { makeFile, type SqliteConnection } from './sqlite-connection.ts'
import type { JournalEnd, SqliteJournalEnds } from './sqlite-journal.ts'
import { PLACES_PER_RUN } from './sqlite-schema.ts'
import type { DrivingAppend } from './store.ts'

/**
 * Notices what an agent with access to the journal may have done: acknowledged events changed or removed; events that do not fit the
 * chain; events in a run that this connection drives, by anyone but a person. Every append then fails with `store.tampered`. Only
 * `pawl verify` with a copy kept elsewhere can detect older changes that fit the chain.
 */
export function verifiedEnds(
  connection: WatchedConnection,
  ends: SqliteJournalEnds,
  eventsAtFirst: number = EVENTS_AT_FIRST,
): SqliteJournalEnds {
  const journal = acknowledgedJournal(connection, eventsAtFirst)
  return {
    endOf(run, driving) {
      const end = ends.endOf(run, driving)
      const wrong = journal.wrongWith(run, end, driving)
      if (wrong !== undefined) throw tamperedJournal(connection.path, 'file', run, wrong)
      return end
    },
    remember(run, end) {
      journal.written(run, end)
      ends.remember(run, end)
    },
    // The run changes hands: its next holder must find everything that was written.
    forget(run) {
      connection.checkFiles()
      ends.forget(run)
    },
    // This connection removes it on purpose.
    remove(run) {
      journal.forget(run)
      ends.remove(run)
    },
  }
}

interface Acknowledged {
  readonly end: JournalEnd
  /** The epoch under which this connection wrote it, if it drove the run. */
  readonly epoch: number | undefined
}

/** How many events of a run are verified when this connection first writes to it. */
const EVENTS_AT_FIRST = 100

function acknowledgedJournal({ database }: SqliteConnection, eventsAtFirst: number) {
  const select = database.prepare('SELECT seq, hash, event FROM events WHERE place >= ? AND place < ? ORDER BY place')
  const acknowledged = new Map<RunId, Acknowledged>()
  let asked: DrivingAppend | undefined
  const rowsFrom = ({ id = -1 }: JournalEnd, seq: Seq): readonly ChainRow[] =>
    select.all(id * PLACES_PER_RUN + seq, (id + 1) * PLACES_PER_RUN) as unknown as readonly ChainRow[]

  return {
    wrongWith(run: RunId, end: JournalEnd, driving: DrivingAppend | undefined): WrongEvent | undefined {
      asked = driving
      const last = acknowledged.get(run)
      // The same object that was remembered: nobody else has written anything.
      if (last?.end === end) return undefined
      if (last && end.seq < last.end.seq) return { seq: end.seq + 1, what: `is gone, with all up to event ${last.end.seq}` }
      const known = last?.end.seq ?? Math.max(0, end.seq - eventsAtFirst)
      const rows = rowsFrom(end, Math.max(1, known - 1))
      const isOurs = last?.epoch !== undefined && driving?.claim?.epoch === last.epoch && end.epoch === last.epoch
      const wrong = wrongIn(rows, last?.end, isOurs ? last.end.seq : undefined)
      if (wrong === undefined) acknowledged.set(run, { end, epoch: last?.epoch })
      return wrong
    },
    forget: (run: RunId) => void acknowledged.delete(run),
    written: (run: RunId, end: JournalEnd) => void acknowledged.set(run, { end, epoch: asked?.claim?.epoch }),
  }
}

export interface WatchedConnection extends SqliteConnection {
  /** Checks the files now if anything was written since the last check. */
  checkFiles(): void
}

/**
 * A connection that stops writing once something else deletes or replaces the database, its log or the log's index: every
 * write then fails with `store.tampered`. A deleted file is still open here, so its content is first saved beside the old place. The
 * index (`-shm`) contains the locks between processes: with two of them, processes would overwrite each other.
 */
export function watchFiles(connection: SqliteConnection): WatchedConnection {
  const files = watchedFiles(connection.path)
  let gone: PawlError | undefined
  let checkedAt = steadyMs()
  let hasUnchecked = false
  const check = (): void => {
    checkedAt = steadyMs()
    hasUnchecked = false
    const harm = gone ? undefined : files.harm()
    if (harm !== undefined) gone = goneError(connection, harm)
    if (gone) throw gone
  }
  const checked = <Result>(work: () => Result): Result => {
    if (gone || steadyMs() - checkedAt > CHECK_INTERVAL_MS) check()
    const result = work()
    hasUnchecked = true
    return result
  }
  return {
    ...connection,
    transact: (work, afterCommit) => connection.transact(() => checked(work), afterCommit),
    transactLightly: (work) => connection.transactLightly(() => checked(work)),
    checkFiles() {
      if (hasUnchecked) check()
    },
  }
}

/** A deleted file is still open here, so the next check also saves what was written in between. */
const CHECK_INTERVAL_MS = 20

/** `harm` says in words what happened to the files; `undefined` if nothing did. */
function watchedFiles(path: string): { harm(): string | undefined } {
  // SQLite creates these two when it first reads, and keeps them as long as any process has the database open.
  const beside = [`${path}-wal`, `${path}-shm`].map((file) => ({ file, known: inodeOf(file) }))
  const known = inodeOf(path)
  return {
    harm() {
      const found = inodeOf(path)
      if (found === undefined) return `${path} was deleted while it was in use.`
      if (found !== known) return `${path} was replaced by another file while it was in use.`
      for (const each of beside) {
        const present = inodeOf(each.file)
        each.known ??= present
        if (present !== each.known) return `${each.file} was deleted or replaced while it was in use.`
      }
      return undefined
    },
  }
}

/** On some file systems inodes are too large for a number. */
function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino
}

function goneError({ database, path }: SqliteConnection, harm: string): PawlError {
  try {
    // A copy cannot be made within a transaction, and this one is empty.
    if (database.isTransaction) database.exec('ROLLBACK')
    const copy = rescueFile(path)
    database.prepare('VACUUM INTO ?').run(copy)
    const message = `${harm} All that was acknowledged is in ${copy}: delete what is left of ${path} and its -wal and -shm files, move the copy there, and start again.`
    return new PawlError('store.tampered', message, { value: { path, copy } })
  } catch (cause) {
    const message = `${harm} What was acknowledged could not be saved (${String(cause)}): bring back a copy of the file.`
    return new PawlError('store.tampered', message, { value: { path }, cause })
  }
}

/** A new empty file beside the old place. */
function rescueFile(path: string): string {
  const extension = extname(path)
  for (let number = 1; ; number += 1) {
    const name = join(dirname(path), `${basename(path, extension)}-rescued-${number}${extension}`)
    try {
      makeFile(name, 'wx')
      return name
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    }
  }
}
