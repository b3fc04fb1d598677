import type { RunId, Seq } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { appendedEvents, seal } from '../journal/seal.ts'
import type { PreparedFact } from '../journal/seal.ts'
import type { StoredEvent } from '../core/stored-event.ts'
import type { AppendResult, DrivingAppend } from './store.ts'
import type { SqliteClaims } from './sqlite-claims.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteJournalEnds } from './sqlite-journal-ends.ts'
import type { SqliteRuns } from './sqlite-runs.ts'
import { PLACES_PER_RUN } from './sqlite-schema.ts'
import type { SqliteTexts } from './sqlite-texts.ts'

export interface SqliteEvents {
  /** A promise only when another process has to be waited for. */
  append(run: RunId, facts: readonly PreparedFact[], driving: DrivingAppend | undefined): AppendResult | Promise<AppendResult>
  readStored(run: RunId, after: Seq): Promise<readonly StoredEvent[]>
}

/** The journal itself: one row for each event. */
export function sqliteEvents(
  connection: SqliteConnection,
  runs: SqliteRuns,
  claims: SqliteClaims,
  texts: SqliteTexts,
  ends: SqliteJournalEnds,
): SqliteEvents {
  const { database, transact, query } = connection
  const insert = database.prepare('INSERT INTO events (place, hash, event) VALUES (?, unhex(?), ?)')
  const select = database.prepare(`
    SELECT hash, event FROM runs
    JOIN events ON place > runs.id * ${PLACES_PER_RUN} + ? AND place < (runs.id + 1) * ${PLACES_PER_RUN}
    WHERE runs.run = ? ORDER BY place`)

  return {
    append: (run, facts, driving) => {
      let afterCommit: (() => void) | undefined
      return transact(
        (): AppendResult => {
          const { id, epoch, seq, hash } = ends.endOf(run, driving)
          if (driving !== undefined) {
            if (epoch !== driving.claim.epoch) return { status: 'fenced', holder: claims.holderOf(run) }
            if (seq !== driving.expectedSeq) return { status: 'conflict', seq }
          }
          if (facts.length === 0) return { status: 'appended', events: [] }
          const sealed = seal(facts, seq, hash)
          const runId = id ?? runs.idOf(run)
          const forgetTexts = texts.flush()
          // Not `run`: that makes an object of counts each time.
          for (const each of sealed) insert.get(runId * PLACES_PER_RUN + each.seq, each.hash, each.text)
          afterCommit = () => {
            forgetTexts()
            ends.remember(run, { id: runId, epoch, seq: seq + sealed.length, hash: sealed.at(-1)?.hash ?? hash })
          }
          return appendedEvents(sealed)
        },
        () => afterCommit?.(),
      )
    },
    readStored: (run, after) =>
      query(() => select.all(after, run).map((row) => parseRow(row as unknown as Row, run, connection.path))),
  }
}

interface Row {
  readonly hash: Uint8Array
  readonly event: string
}

function parseRow({ hash, event }: Row, run: RunId, path: string): StoredEvent {
  try {
    const parsed = JSON.parse(event)
    if (typeof parsed.type !== 'string' || typeof parsed.data !== 'object') throw new TypeError('It is no event.')
    parsed.hash = toHex(hash)
    return parsed
  } catch (cause) {
    throw new PawlError('store.corrupt', `An event of the run "${run}" in ${path} is damaged: bring back a copy of the file.`, {
      value: event,
      cause,
    })
  }
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}
