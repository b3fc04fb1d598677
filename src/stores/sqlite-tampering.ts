import type { RunId, Seq } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { chainHashOfText, GENESIS } from '../journal/hash-chain.ts'
import type { DrivingAppend } from './store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { JournalEnd, SqliteJournalEnds } from './sqlite-journal-ends.ts'
import { PLACES_PER_RUN } from './sqlite-schema.ts'
import type { WatchedConnection } from './sqlite-watched-files.ts'

/**
 * Notices what an agent with access to the journal may have done: events that this connection acknowledged changed or removed; events
 * that do not fit the chain; events of a run that this connection drives by anyone but a person. Says so with `store.tampered`, again
 * and again. What fits the chain and lies further back, only `pawl verify` can tell from a copy kept elsewhere.
 */
export function witnessedEnds(
  connection: WatchedConnection,
  ends: SqliteJournalEnds,
  eventsAtFirst: number = EVENTS_AT_FIRST,
): SqliteJournalEnds {
  const journal = witnessedJournal(connection, eventsAtFirst)
  return {
    endOf(run, driving) {
      const end = ends.endOf(run, driving)
      const wrong = journal.wrongWith(run, end, driving)
      if (wrong !== undefined) throw journalError(connection.path, run, wrong)
      return end
    },
    remember(run, end) {
      journal.written(run, end)
      ends.remember(run, end)
    },
    // A run is given up: whoever goes on with it must find what was written.
    forget(run) {
      connection.lookOnceMore()
      ends.forget(run)
    },
  }
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
