import type { ProcessIdentity } from '../core/event-data.ts'
import type { RunId, Seq, StoredEvent } from '../core/event.ts'
import { GENESIS } from '../journal/hash-chain.ts'
import { appendedEvents, type PreparedFact, seal, type Sealed } from '../journal/seal.ts'
import { type ChainRow, readChainRow, toHex } from './chain-rows.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { FIRST_PLACE_OF_RUN, LAST_PLACE_OF_RUN, PLACES_PER_RUN, WAKE } from './sqlite-schema.ts'
import type { SqliteTexts } from './sqlite-texts.ts'
import { type ClaimRule, judgeClaim, judgeHolder, type KnownClaim } from './store-rules.ts'
import type { AppendResult, Claim, ClaimResult, DrivingAppend, RunEntry } from './store.ts'

export interface SqliteRuns {
  /** The number of a run in all tables, assigned when first asked for. Call it within a transaction. */
  idOf(run: RunId): number
  /** Runs with at least one event, the most recently changed first. */
  list(): Promise<readonly RunEntry[]>
}

/** The table of runs. */
export function sqliteRuns({ database, query }: SqliteConnection): SqliteRuns {
  const select = database.prepare('SELECT id FROM runs WHERE run = ?')
  const insert = database.prepare('INSERT INTO runs (run) VALUES (?)')
  const list = database.prepare(`
    SELECT runs.run, last.seq, ${timeOf('first')} AS startedAt, ${timeOf('last')} AS updatedAt
    FROM runs
    JOIN events AS first ON first.place = (${FIRST_PLACE_OF_RUN})
    JOIN events AS last ON last.place = (${LAST_PLACE_OF_RUN})
    ORDER BY coalesce(updatedAt, startedAt, 0) DESC, runs.run`)
  return {
    idOf: (run) => Number(select.get(run)?.['id'] ?? insert.run(run).lastInsertRowid),
    list: () => query(() => list.all().map((row) => toEntry(row as unknown as RunRow))),
  }
}

/** When an event happened; null if it is not readable, since one damaged event must not hide all runs. */
function timeOf(table: string): string {
  return `iif(json_valid(${table}.event) AND json_type(${table}.event, '$.at') IN ('integer', 'real'), ${table}.event ->> '$.at', NULL)`
}

interface RunRow extends Omit<RunEntry, 'startedAt' | 'updatedAt'> {
  readonly startedAt: number | null
  readonly updatedAt: number | null
}

/** A damaged event gets the time of the run's other end, or 0. Reading the run reports the damage. */
function toEntry({ run, seq, startedAt, updatedAt }: RunRow): RunEntry {
  return { run, seq, startedAt: startedAt ?? updatedAt ?? 0, updatedAt: updatedAt ?? startedAt ?? 0 }
}

/** Where a run's journal ends, and the epoch that may write: all that an append needs. */
export interface JournalEnd {
  /** `undefined` while the run has neither events nor claims. */
  readonly id: number | undefined
  /** `undefined` if nobody holds the run. */
  readonly epoch: number | undefined
  readonly seq: number
  readonly hash: string
}

export interface SqliteJournalEnds {
  /** Call it within a write transaction, with the append's `driving`. */
  endOf(run: RunId, driving?: DrivingAppend): JournalEnd
  /** Remembers the end that this connection has just committed. */
  remember(run: RunId, end: JournalEnd): void
  /** Call it within the transaction that changes the run's claim. */
  forget(run: RunId): void
  /** Call it within the transaction that removes the run. */
  remove(run: RunId): void
}

/**
 * Looks up the ends of journals. An end that this connection wrote is remembered as long as no other connection has committed
 * anything: reading SQLite's `data_version` takes a tenth of the time of a lookup.
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
      return ends.get(run) ?? toEnd((select.get(run) as unknown as EndRow | undefined) ?? NO_ROW)
    },
    remember: (run, end) => void ends.set(run, end),
    forget: (run) => void ends.delete(run),
    remove: (run) => void ends.delete(run),
  }
}

/** An array: SQLite's binding makes it in half the time of an object. */
type EndRow = readonly [id: number | null, epoch: number | null, seq: number | null, hash: Uint8Array | null]

const NO_ROW: EndRow = [null, null, null, null]

function toEnd([id, epoch, seq, hash]: EndRow): JournalEnd {
  return {
    id: id ?? undefined,
    epoch: epoch ?? undefined,
    seq: seq ?? 0,
    hash: hash === null ? GENESIS : toHex(hash),
  }
}

export interface SqliteClaims {
  claim(run: RunId, holder: ProcessIdentity, rule: ClaimRule): Promise<ClaimResult>
  /** The same within a transaction. */
  claimWithin(run: RunId, holder: ProcessIdentity, rule: ClaimRule): ClaimResult
  /** Releases within a transaction; `false` if the claim isn't the newest one. */
  releaseWithin(claim: Claim): boolean
  renew(claim: Claim, at: Pick<ClaimRule, 'now' | 'upMs'>): Promise<boolean>
  release(claim: Claim): Promise<void>
  /** See `Store.holder`. */
  holder(run: RunId, rule: ClaimRule, which?: 'now' | 'last'): Promise<ProcessIdentity | undefined>
  /** The holder of the newest claim, dead or alive; `undefined` if it was released or never claimed. Call it within a transaction. */
  holderOf(run: RunId): ProcessIdentity | undefined
}

/** The table of claims. A power cut may undo a claim, but its holder died too; an append makes the claim it rests on durable. */
export function sqliteClaims(
  { database, query, transactLightly }: SqliteConnection,
  runs: SqliteRuns,
  ends: SqliteJournalEnds,
): SqliteClaims {
  const select = database.prepare('SELECT claims.* FROM claims JOIN runs ON runs.id = claims.run WHERE runs.run = ?')
  const replace = database.prepare('REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)')
  const ofClaim = 'WHERE run = (SELECT id FROM runs WHERE run = ?) AND epoch = ? AND is_released = 0'
  const update = database.prepare(`UPDATE claims SET renewed_at = ?, renewed_up_ms = ? ${ofClaim}`)
  const release = database.prepare(`UPDATE claims SET is_released = 1 ${ofClaim}`)

  function known(run: RunId): KnownClaim | undefined {
    const row = select.get(run)
    return row && toKnownClaim(row)
  }

  function claimWithin(run: RunId, holder: ProcessIdentity, rule: ClaimRule): ClaimResult {
    const before = known(run)
    const judgement = judgeClaim(before, rule)
    if (judgement.status === 'held') return judgement
    const epoch = (before?.epoch ?? 0) + 1
    ends.forget(run)
    replace.run(runs.idOf(run), epoch, holder.pid, holder.startedAt, holder.host, rule.now, rule.now, rule.upMs ?? null)
    return { status: 'claimed', claim: { run, epoch }, leaseMs: rule.leaseMs, ...judgement.takenOver }
  }

  function releaseWithin(claim: Claim): boolean {
    ends.forget(claim.run)
    return release.run(claim.run, claim.epoch).changes === 1
  }

  return {
    claim: (run, holder, rule) => transactLightly(() => claimWithin(run, holder, rule)),
    claimWithin,
    releaseWithin,
    renew: (claim, { now, upMs }) => transactLightly(() => update.run(now, upMs ?? null, claim.run, claim.epoch).changes === 1),
    release: (claim) => transactLightly(() => void releaseWithin(claim)),
    holder: (run, rule, which) => query(() => judgeHolder(known(run), rule, which)),
    holderOf(run) {
      const claim = known(run)
      return claim?.isReleased ? undefined : claim?.holder
    },
  }
}

/** A row of the claims as data. */
export function toKnownClaim(row: Record<string, unknown>): KnownClaim {
  return {
    epoch: row['epoch'] as number,
    holder: { pid: row['pid'] as number, startedAt: row['started_at'] as string, host: row['host'] as string },
    since: row['since'] as number,
    renewedAt: row['renewed_at'] as number,
    renewedUpMs: (row['renewed_up_ms'] as number | null) ?? undefined,
    isReleased: row['is_released'] === 1,
  }
}

export interface SqliteEvents {
  /** Returns a promise only if it must wait for another process. */
  append(run: RunId, facts: readonly PreparedFact[], driving: DrivingAppend | undefined): AppendResult | Promise<AppendResult>
  /** See `Store.adopt`. */
  adopt(claim: Claim, events: readonly Sealed[]): AppendResult | Promise<AppendResult>
  readStored(run: RunId, after: Seq, limit?: number): Promise<readonly StoredEvent[]>
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
  const wake = database.prepare(WAKE)
  const select = database.prepare(`
    SELECT hash, event FROM runs
    JOIN events ON place > runs.id * ${PLACES_PER_RUN} + ? AND place < (runs.id + 1) * ${PLACES_PER_RUN}
    WHERE runs.run = ? ORDER BY place LIMIT ?`)

  /** `sealedAt` gives what is to be written where the journal ends. */
  function write(
    run: RunId,
    driving: DrivingAppend | undefined,
    sealedAt: (seq: Seq, hash: string) => readonly Sealed[],
  ): AppendResult | Promise<AppendResult> {
    let afterCommit: (() => void) | undefined
    return transact(
      (): AppendResult => {
        const { id, epoch, seq, hash } = ends.endOf(run, driving)
        if (driving !== undefined) {
          if (driving.claim && epoch !== driving.claim.epoch) return { status: 'fenced', holder: claims.holderOf(run) }
          if (seq !== driving.expectedSeq) return { status: 'conflict', seq }
        }
        const sealed = sealedAt(seq, hash)
        if (sealed.length === 0) return { status: 'appended', events: [] }
        const runId = id ?? runs.idOf(run)
        const forgetTexts = texts.flush()
        // `get`, not `run`, which makes an object of counts each time.
        for (const each of sealed) insert.get(runId * PLACES_PER_RUN + each.seq, each.hash, each.text)
        if (driving?.claim === undefined) wake.run(Date.now(), runId)
        afterCommit = () => {
          forgetTexts()
          ends.remember(run, { id: runId, epoch, seq: seq + sealed.length, hash: sealed.at(-1)?.hash ?? hash })
        }
        return appendedEvents(sealed)
      },
      () => afterCommit?.(),
    )
  }

  return {
    append: (run, facts, driving) => write(run, driving, (seq, hash) => seal(facts, seq, hash)),
    adopt: (claim, events) => write(claim.run, { claim, expectedSeq: 0 }, () => events),
    // SQLite takes a negative limit for none.
    readStored: (run, after, limit = -1) =>
      query(() =>
        select.all(after, run, limit).map((row) => readChainRow(row as unknown as ChainRow, run, connection.path, 'file')),
      ),
  }
}
