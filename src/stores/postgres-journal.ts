import type { RunId, Seq, StoredEvent } from '../core/event.ts'
import { GENESIS } from '../journal/hash-chain.ts'
import { appendedEvents, type PreparedFact, seal, type Sealed } from '../journal/seal.ts'
import { type ChainRow, readChainRow, tamperedJournal, toHex, wrongIn } from './chain-rows.ts'
import type { PostgresClaims } from './postgres-claims.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { NOW } from './postgres-schema.ts'
import type { PostgresTexts } from './postgres-texts.ts'
import type { AppendResult, Claim, DrivingAppend } from './store.ts'

export interface PostgresEvents {
  append(run: RunId, prepared: readonly PreparedFact[], driving: DrivingAppend | undefined): Promise<AppendResult>
  /** See `Store.adopt`. */
  adopt(claim: Claim, events: readonly Sealed[]): Promise<AppendResult>
  readStored(run: RunId, after: Seq, limit?: number): Promise<readonly StoredEvent[]>
  /** Forgets where the run ends: it changes hands. */
  forget(run: RunId): void
}

/** Where a run's journal ends, and the epoch that may write. */
interface JournalEnd {
  /** `undefined` if nobody holds the run. */
  readonly epoch: number | undefined
  readonly seq: Seq
  readonly hash: string
}

/** How many events of a run are verified when this store first writes to it. */
const EVENTS_AT_FIRST = 100

/**
 * The journal itself. An append is one statement, and so one transaction and one trip to the server: it moves the run's end only if that
 * is still the one that the events were sealed for, under an epoch that is still the newest one, and inserts the events and waiting texts
 * only then.
 */
export function postgresEvents(
  { ask, where }: PostgresConnection,
  schema: string,
  claims: PostgresClaims,
  texts: PostgresTexts,
): PostgresEvents {
  const ends = new Map<RunId, JournalEnd>()
  /** Runs whose newest events were verified by this store. */
  const verified = new Set<RunId>()
  const insert = appendStatement(schema)

  async function load(run: RunId): Promise<JournalEnd | undefined> {
    const [row] = await ask(
      `SELECT seq, hash, CASE WHEN NOT is_released THEN epoch END AS epoch FROM ${schema}.runs WHERE run = $1`,
      [run],
    )
    if (row === undefined) return undefined
    const { seq, hash, epoch } = row as unknown as { readonly seq: Seq; readonly hash: Buffer; readonly epoch: number | null }
    const end = { seq, hash: toHex(hash), epoch: epoch ?? undefined }
    if (!verified.has(run)) await verify(run, end)
    ends.set(run, end)
    return end
  }

  async function verify(run: RunId, end: JournalEnd): Promise<void> {
    const rows = (await ask(
      `SELECT seq, hash, event FROM ${schema}.events WHERE run = (SELECT id FROM ${schema}.runs WHERE run = $1) AND seq BETWEEN $2 AND $3 ORDER BY seq`,
      [run, end.seq - EVENTS_AT_FIRST, end.seq],
    )) as unknown as readonly ChainRow[]
    const isShort = end.seq > 0 && rows.at(-1)?.seq !== end.seq
    const wrong = isShort ? { seq: end.seq, what: 'is gone' } : wrongIn(rows, end.seq > 0 ? end : undefined, undefined)
    if (wrong) throw tamperedJournal(where, 'database', run, wrong)
    verified.add(run)
  }

  /** Whether the events are in the journal although the connection was lost before the server said so. */
  async function isThere(run: RunId, last: Sealed): Promise<boolean> {
    const found = await ask(
      `SELECT 1 FROM ${schema}.events WHERE run = (SELECT id FROM ${schema}.runs WHERE run = $1) AND seq = $2 AND hash = $3`,
      [run, last.seq, Buffer.from(last.hash, 'hex')],
    )
    return found.length > 0
  }

  /** The verdict on an append that can't be at this end, or `undefined`. */
  async function refusal(run: RunId, end: JournalEnd, driving: DrivingAppend | undefined): Promise<AppendResult | undefined> {
    if (driving?.claim && end.epoch !== driving.claim.epoch) return { status: 'fenced', holder: await claims.holderOf(run) }
    return driving && end.seq !== driving.expectedSeq ? { status: 'conflict', seq: end.seq } : undefined
  }

  async function make(run: RunId): Promise<JournalEnd> {
    await ask(`INSERT INTO ${schema}.runs (run) VALUES ($1) ON CONFLICT DO NOTHING`, [run])
    return (await load(run)) ?? NOTHING
  }

  /** Whether the events were inserted. Asked again after a lost connection, they may be there already. */
  async function insertAt(run: RunId, end: JournalEnd, sealed: readonly Sealed[], isByPerson: boolean) {
    const last = sealed.at(-1) as Sealed
    const waiting = texts.waiting()
    let isRetried = false
    const hashes = sealed.map((each) => Buffer.from(each.hash, 'hex'))
    const inserted = await ask(
      insert,
      [
        run,
        end.seq,
        Buffer.from(end.hash, 'hex'),
        isByPerson ? null : end.epoch,
        last.seq,
        hashes.at(-1),
        atOf(sealed[0]),
        atOf(last),
        waiting.hashes,
        waiting.contents,
        sealed.map(({ seq }) => seq),
        hashes,
        sealed.map(({ text }) => text),
      ],
      { onRetry: () => (isRetried = true) },
    )
    const isIn = inserted.length > 0 || (isRetried && (await isThere(run, last)))
    if (isIn) {
      waiting.forget()
      ends.set(run, { epoch: end.epoch, seq: last.seq, hash: last.hash })
    }
    return isIn
  }

  /** `sealedAt` gives what is to be written where the journal ends. */
  async function write(
    run: RunId,
    driving: DrivingAppend | undefined,
    sealedAt: (seq: Seq, hash: string) => readonly Sealed[],
    isEmpty: boolean,
  ): Promise<AppendResult> {
    const isByPerson = driving?.claim === undefined
    for (let known = isEmpty ? undefined : ends.get(run); ; known = undefined) {
      const end = known ?? (await load(run)) ?? (isByPerson && !isEmpty ? await make(run) : NOTHING)
      const refused = await refusal(run, end, driving)
      if (refused && known === undefined) return refused
      // What this store remembers was out of date.
      if (refused) continue
      if (isEmpty) return { status: 'appended', events: [] }
      const sealed = sealedAt(end.seq, end.hash)
      if (await insertAt(run, end, sealed, isByPerson)) return appendedEvents(sealed)
    }
  }

  return {
    append: (run, prepared, driving) => write(run, driving, (seq, hash) => seal(prepared, seq, hash), prepared.length === 0),
    adopt: (claim, events) => write(claim.run, { claim, expectedSeq: 0 }, () => events, events.length === 0),
    async readStored(run, after, limit) {
      const rows = await ask(
        `SELECT hash, event FROM ${schema}.events WHERE run = (SELECT id FROM ${schema}.runs WHERE run = $1) AND seq > $2 ORDER BY seq LIMIT $3`,
        [run, after, limit === undefined || limit === Infinity ? null : limit],
      )
      return rows.map((row) => readChainRow(row as unknown as ChainRow, run, where, 'database'))
    },
    forget: (run) => void ends.delete(run),
  }
}

/** When an event happened. */
function atOf(sealed: Sealed | undefined): number {
  return (JSON.parse(sealed?.text ?? '{}') as { readonly at?: number }).at ?? 0
}

const NOTHING: JournalEnd = { epoch: undefined, seq: 0, hash: GENESIS }

/** $4 is the epoch, null for a person. What a person appends makes a queued run due. */
function appendStatement(schema: string): string {
  return `
    WITH moved AS (
      UPDATE ${schema}.runs SET seq = $5, hash = $6, started_at = coalesce(started_at, $7::float8), updated_at = $8::float8
      WHERE run = $1 AND seq = $2 AND hash = $3 AND ($4::int IS NULL OR (epoch = $4 AND NOT is_released)) RETURNING id
    ), kept AS (
      INSERT INTO ${schema}.texts SELECT each.* FROM moved, unnest($9::bytea[], $10::bytea[]) AS each ON CONFLICT DO NOTHING
    ), woken AS (
      UPDATE ${schema}.queue SET due_at = least(coalesce(due_at, ${NOW}), ${NOW}) FROM moved WHERE queue.run = moved.id AND $4 IS NULL
    )
    INSERT INTO ${schema}.events SELECT moved.id, each.* FROM moved, unnest($11::int[], $12::bytea[], $13::text[]) AS each RETURNING seq`
}
