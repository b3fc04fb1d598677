import type { RunId, Seq } from '../../core/event.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { GENESIS } from '../../journal/hash-chain.ts'
import { appendedEvents, seal } from '../../journal/seal.ts'
import type { PreparedFact } from '../../journal/seal.ts'
import type { StoredEvent } from '../../core/stored-event.ts'
import type { AppendResult, DrivingAppend } from '../../ports/store.ts'
import type { SqliteClaims } from './sqlite-claims.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteRuns } from './sqlite-runs.ts'
import type { SqliteTexts } from './sqlite-texts.ts'

export interface SqliteEvents {
  append(run: RunId, facts: readonly PreparedFact[], driving: DrivingAppend | undefined): Promise<AppendResult>
  readStored(run: RunId, after: Seq): Promise<readonly StoredEvent[]>
}

/** The journal itself: one row for each event. */
export function sqliteEvents(
  connection: SqliteConnection,
  runs: SqliteRuns,
  claims: SqliteClaims,
  texts: SqliteTexts,
): SqliteEvents {
  const { database, transact, query } = connection
  // Everything an append has to know in one statement: it is asked for every time, since other processes write too.
  const selectEnd = database.prepare(`
    SELECT runs.id, iif(claims.is_released, NULL, claims.epoch), events.seq, events.hash
    FROM runs
    LEFT JOIN claims ON claims.run = runs.id
    LEFT JOIN events ON events.run = runs.id AND events.seq = (SELECT max(seq) FROM events WHERE run = runs.id)
    WHERE runs.run = ?`)
  selectEnd.setReturnArrays(true)
  const insert = database.prepare('INSERT INTO events (run, seq, hash, event) VALUES (?, ?, ?, ?)')
  const select = database.prepare(
    'SELECT hash, event FROM events WHERE run = (SELECT id FROM runs WHERE run = ?) AND seq > ? ORDER BY seq',
  )

  return {
    append: async (run, facts, driving) => {
      let forget: (() => void) | undefined
      const result = await transact((): AppendResult => {
        const [id, epoch, lastSeq, lastHash] = (selectEnd.get(run) as unknown as End | undefined) ?? NO_END
        const seq = lastSeq ?? 0
        if (driving !== undefined) {
          if (epoch !== driving.claim.epoch) return { status: 'fenced', holder: claims.holderOf(run) }
          if (seq !== driving.expectedSeq) return { status: 'conflict', seq }
        }
        if (facts.length === 0) return { status: 'appended', events: [] }
        const sealed = seal(facts, seq, lastHash === null ? GENESIS : toHex(lastHash))
        const runId = id ?? runs.idOf(run)
        forget = texts.flush()
        for (const { text, seq: place, hash } of sealed) insert.run(runId, place, Buffer.from(hash, 'hex'), text)
        return appendedEvents(sealed)
      })
      forget?.()
      return result
    },
    readStored: (run, after) =>
      query(() => select.all(run, after).map((row) => parseRow(row as unknown as Row, run, connection.path))),
  }
}

/** Id of the run, epoch of the claim unless released, and the last event. An array: for SQLite's binding half the price of an object. */
type End = readonly [id: number | null, epoch: number | null, seq: number | null, hash: Uint8Array | null]

const NO_END: End = [null, null, null, null]

interface Row {
  readonly hash: Uint8Array
  readonly event: string
}

function parseRow({ hash, event }: Row, run: RunId, path: string): StoredEvent {
  try {
    const parsed = JSON.parse(event)
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
