import { closeSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { RunId, Seq } from '../../core/event.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { chainHashOfText, GENESIS } from '../../journal/hash-chain.ts'
import type { DrivingAppend } from '../../ports/store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { JournalEnd, SqliteJournalEnds } from './sqlite-journal-ends.ts'
import { PLACES_PER_RUN } from './sqlite-schema.ts'

export interface WitnessedEnds extends SqliteJournalEnds {
  /** Looks at the files where something was written since the last look: to be called before the connection is closed. */
  lookOnceMore(): void
}

/**
 * Notices what an agent with access to the files may have done: the database or its log deleted or replaced; events that this
 * connection acknowledged changed or removed; events that do not fit the chain; events of a run that this connection drives by anyone
 * but a person. Says so with `store.tampered`, again and again. A file that is gone is still open here, so all of it is saved beside
 * the old place first. What fits the chain and lies further back, only `pawl verify` can tell from a copy kept elsewhere.
 */
export function witnessedEnds(
  connection: SqliteConnection,
  ends: SqliteJournalEnds,
  eventsAtFirst: number = EVENTS_AT_FIRST,
): WitnessedEnds {
  const files = witnessedFiles(connection.path)
  const journal = witnessedJournal(connection, eventsAtFirst)
  let gone: PawlError | undefined
  let lookedAt = -Infinity
  let hasUnseen = false
  const look = (): void => {
    lookedAt = performance.now()
    hasUnseen = false
    const harm = gone ? undefined : files.harm()
    if (harm !== undefined) gone = goneError(connection, harm)
    if (gone) throw gone
  }
  const lookOnceMore = (): void => {
    if (hasUnseen) look()
  }
  return {
    ...ends,
    lookOnceMore,
    endOf(run, driving) {
      if (gone || performance.now() - lookedAt > LOOKS_APART_MS) look()
      const end = ends.endOf(run, driving)
      const wrong = journal.wrongWith(run, end, driving)
      if (wrong !== undefined) throw journalError(connection.path, run, wrong)
      return end
    },
    remember(run, end) {
      hasUnseen = true
      files.written()
      journal.written(run, end)
      ends.remember(run, end)
    },
    // A run is given up: whoever goes on with it must find what was written.
    forget(run) {
      lookOnceMore()
      ends.forget(run)
    },
  }
}

/**
 * A file that is deleted is still open here, so what is written into it meanwhile is saved at the next look. An agent that works for
 * seconds is met by one at every append.
 */
const LOOKS_APART_MS = 20

/** What became of the files by other hands, in words; nothing when all is well. */
function witnessedFiles(path: string): { harm(): string | undefined; written(): void } {
  const log = `${path}-wal`
  const known = inodeOf(path)
  let knownLog: bigint | undefined
  return {
    harm() {
      const found = inodeOf(path)
      if (found === undefined) return `${path} was deleted while it was in use.`
      if (found !== known) return `${path} was replaced by another file while it was in use.`
      return knownLog === undefined || inodeOf(log) === knownLog
        ? undefined
        : `${log} was deleted or replaced while it was in use.`
    },
    // SQLite makes the log with the first write and keeps it for as long as anyone has the database open.
    written: () => void (knownLog ??= inodeOf(log)),
  }
}

/** Inodes of some file systems are larger than a number can tell apart. */
function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino
}

interface Acknowledged {
  readonly end: JournalEnd
  /** The epoch under which this connection wrote it, where it drove the run. */
  readonly epoch: number | undefined
}

interface Wrong {
  readonly seq: Seq
  readonly what: string
}

/** How far back the chain is looked at when a run is met for the first time. */
const EVENTS_AT_FIRST = 100

function witnessedJournal({ database }: SqliteConnection, eventsAtFirst: number) {
  const select = database.prepare('SELECT seq, hash, event FROM events WHERE place >= ? AND place < ? ORDER BY place')
  const acknowledged = new Map<RunId, Acknowledged>()
  let asked: DrivingAppend | undefined
  const rowsFrom = ({ id = -1 }: JournalEnd, seq: Seq): readonly Row[] =>
    select.all(id * PLACES_PER_RUN + seq, (id + 1) * PLACES_PER_RUN) as unknown as readonly Row[]

  return {
    wrongWith(run: RunId, end: JournalEnd, driving: DrivingAppend | undefined): Wrong | undefined {
      asked = driving
      const last = acknowledged.get(run)
      // The very end that was remembered: nobody else has written anything.
      if (last?.end === end) return undefined
      if (last && end.seq < last.end.seq) return { seq: end.seq + 1, what: `is gone, with all up to event ${last.end.seq}` }
      const known = last?.end.seq ?? Math.max(0, end.seq - eventsAtFirst)
      const rows = rowsFrom(end, Math.max(1, known - 1))
      const isOurs = last?.epoch !== undefined && driving?.claim.epoch === last.epoch && end.epoch === last.epoch
      const wrong = wrongIn(rows, last?.end, isOurs ? last.end.seq : undefined)
      if (wrong === undefined) acknowledged.set(run, { end, epoch: last?.epoch })
      return wrong
    },
    written: (run: RunId, end: JournalEnd) => void acknowledged.set(run, { end, epoch: asked?.claim.epoch }),
  }
}

interface Row {
  readonly seq: Seq
  readonly hash: Uint8Array
  readonly event: string
}

/** `drivenTo` is the last event that the holder knows of: after it only people may have spoken. */
function wrongIn(rows: readonly Row[], last: JournalEnd | undefined, drivenTo: Seq | undefined): Wrong | undefined {
  let before: Row | undefined
  for (const row of rows) {
    const { seq } = row
    if (before && seq !== before.seq + 1) return { seq: before.seq + 1, what: 'is gone' }
    const previous = before ? hex(before.hash) : seq === 1 ? GENESIS : undefined
    const isChanged = previous !== undefined && chainHashOfText(previous, row.event) !== hex(row.hash)
    if (isChanged || (last?.seq === seq && last.hash !== hex(row.hash))) return { seq, what: 'is not what was written' }
    if (drivenTo !== undefined && seq > drivenTo && roleOf(row) !== 'person') return { seq, what: 'was put in by someone else' }
    before = row
  }
  return undefined
}

function roleOf({ event }: Row): unknown {
  return (JSON.parse(event) as { by?: { role?: unknown } }).by?.role
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

function journalError(path: string, run: RunId, { seq, what }: Wrong): PawlError {
  const message = `Event ${seq} of the run "${run}" in ${path} ${what}: something other than Pawl has changed the journal, so nothing more is written to it. Look at it with "pawl verify ${run}" and bring back a copy of the file.`
  return new PawlError('store.tampered', message, { value: { run, seq } })
}

function goneError({ database, path }: SqliteConnection, harm: string): PawlError {
  try {
    // A copy cannot be made within a transaction, and this one has nothing in it.
    if (database.isTransaction) database.exec('ROLLBACK')
    const copy = freeName(path)
    database.prepare('VACUUM INTO ?').run(copy)
    const message = `${harm} All that was acknowledged is in ${copy}: delete what is left of ${path} and its -wal and -shm files, move the copy there, and go on.`
    return new PawlError('store.tampered', message, { value: { path, copy } })
  } catch (cause) {
    const message = `${harm} What was acknowledged could not be saved (${String(cause)}): bring back a copy of the file.`
    return new PawlError('store.tampered', message, { value: { path }, cause })
  }
}

/** An empty file of its own beside the old place, for the owner only. */
function freeName(path: string): string {
  const folder = dirname(path)
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (isNew && basename(folder) === '.pawl') writeFileSync(join(folder, '.gitignore'), '*\n')
  const extension = extname(path)
  for (let number = 1; ; number += 1) {
    const name = join(folder, `${basename(path, extension)}-rescued-${number}${extension}`)
    try {
      closeSync(openSync(name, 'wx', 0o600))
      return name
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    }
  }
}
