import type { RunId } from '../core/event.ts'
import { GENESIS } from '../journal/hash-chain.ts'
import type { DrivingAppend } from './store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { LAST_PLACE_OF_RUN } from './sqlite-schema.ts'

/** Where a run's journal ends, and the epoch that may write: all an append has to know. */
export interface JournalEnd {
  /** `undefined` while the run has neither events nor claims. */
  readonly id: number | undefined
  /** `undefined` when nobody holds the run. */
  readonly epoch: number | undefined
  readonly seq: number
  readonly hash: string
}

export interface SqliteJournalEnds {
  /** To be called within a write transaction, with the `driving` of the append it is for. */
  endOf(run: RunId, driving?: DrivingAppend): JournalEnd
  /** Remembers what this connection has just committed. */
  remember(run: RunId, end: JournalEnd): void
  /** To be called within the transaction in which this connection changes the run's claim. */
  forget(run: RunId): void
}

/**
 * Looks up the ends of journals. The end that this connection wrote last is remembered for as long as no other connection has
 * committed anything, which SQLite's `data_version` tells for a tenth of the price of looking.
 */
export function sqliteJournalEnds({ database }: SqliteConnection): SqliteJournalEnds {
  const select = database.prepare(`
    SELECT runs.id, iif(claims.is_released, NULL, claims.epoch), events.seq, events.hash
    FROM runs
    LEFT JOIN claims ON claims.run = runs.id
    LEFT JOIN events ON events.place = (${LAST_PLACE_OF_RUN})
    WHERE runs.run = ?`)
  select.setReturnArrays(true)
  const dataVersion = database.prepare('PRAGMA data_version')
  dataVersion.setReturnArrays(true)
  const ends = new Map<RunId, JournalEnd>()
  let seenVersion: unknown

  return {
    endOf(run) {
      const [version] = dataVersion.get() as unknown as readonly [number]
      if (version !== seenVersion) ends.clear()
      seenVersion = version
      return ends.get(run) ?? toEnd((select.get(run) as unknown as Row | undefined) ?? NO_ROW)
    },
    remember: (run, end) => void ends.set(run, end),
    forget: (run) => void ends.delete(run),
  }
}

/** An array: for SQLite's binding half the price of an object. */
type Row = readonly [id: number | null, epoch: number | null, seq: number | null, hash: Uint8Array | null]

const NO_ROW: Row = [null, null, null, null]

function toEnd([id, epoch, seq, hash]: Row): JournalEnd {
  return {
    id: id ?? undefined,
    epoch: epoch ?? undefined,
    seq: seq ?? 0,
    hash: hash === null ? GENESIS : Buffer.from(hash).toString('hex'),
  }
}
