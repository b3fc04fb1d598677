import type { ProcessIdentity } from '../core/event-data.ts'
import type { RunId, Seq, StoredEvent } from '../core/event.ts'
import { redactFacts } from '../journal/redact-facts.ts'
import { prepareFacts, sealedElsewhere } from '../journal/seal.ts'
import { upcast } from '../journal/upcast.ts'
import { isProcessAlive } from '../process/process-identity.ts'
import { COUNT, type EntriesOf, FUNCTION, MILLISECONDS, needed, notBlank, optional, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { watchEvents, watchRunEnds } from './changes.ts'
import { OpenOnce } from './open-once.ts'
import { postgresChanges, type PostgresChanges } from './postgres-changes.ts'
import { type PostgresClaimRule, postgresClaims } from './postgres-claims.ts'
import { openPostgres, type PostgresConnection, schemaOf, storeClosed, withoutCredentials } from './postgres-connection.ts'
import { postgresEvents } from './postgres-journal.ts'
import { postgresLists } from './postgres-lists.ts'
import { postgresQueue } from './postgres-queue.ts'
import { ensureSchema } from './postgres-schema.ts'
import { postgresSpace } from './postgres-space.ts'
import { postgresTexts } from './postgres-texts.ts'
import { checkAppend, keepableState, keepableText, LEASE_MS_DEFAULT } from './store-rules.ts'
import { snapshotReader, snapshotRow, type SnapshotRow } from './store-snapshot.ts'
import type { RunQueue, SealedEvent, Snapshot, Store } from './store.ts'

export interface PostgresStoreOptions {
  /** `postgres://user@host:5432/database`. `?schema=` names the schema of the tables, by default `pawl`; they are made when first used. */
  readonly url: string
  /** How long a holder that is stuck or on another machine keeps its claim without renewing it. Default 60,000. */
  readonly leaseMs?: number
  /** How many connections there may be at once, besides the one that renews claims. Default 4. */
  readonly connectionsMax?: number
  /** How long an operation waits for a server that restarts or can't be reached any more. Default 60,000. */
  readonly retryMsMax?: number
  /** Default: asks the operating system; a simulator says it itself. */
  readonly isAlive?: (identity: ProcessIdentity) => boolean | 'unknown'
}

/** A store in a PostgreSQL database, for any number of machines. Needs the package `pg`. Connects when first used. */
export function postgresStore(options: PostgresStoreOptions): Store {
  readOptions('postgresStore', OPTIONS, options, 'store')
  const { url, leaseMs = LEASE_MS_DEFAULT, connectionsMax = 4, retryMsMax = 60_000, isAlive = isProcessAlive } = options
  // A wrong address is reported at once.
  const where = withoutCredentials(url)
  const tables = new OpenOnce(
    () => openTables({ url, connectionsMax, retryMsMax }, { leaseMs, isAlive }),
    () => storeClosed(where),
  )
  const changes = postgresChanges(async () => (await tables.use()).lists)
  return {
    ...journalOf(tables, changes),
    ...claimsOf(tables),
    ...keepingOf(tables),
    ...listsOf(tables, changes),
    queue: queueOf(tables),
    async remove(claim) {
      const { space, events } = await tables.use()
      events.forget(claim.run)
      const isRemoved = await space.remove(claim)
      if (isRemoved) changes.notify(claim.run)
      return isRemoved
    },
    async sizes() {
      return await (await tables.use()).space.sizes()
    },
    async compact() {
      const { space, texts } = await tables.use()
      await texts.flushAlone()
      return await space.compact()
    },
    async close() {
      const opened = await tables.close()
      try {
        await opened?.texts.flushAlone()
      } finally {
        changes.close()
        await opened?.connection.close()
      }
    },
  }
}

const OPTIONS = settingsSchema({
  url: needed(notBlank('an address such as postgres://user@host:5432/database'), 'The address of the database'),
  leaseMs: optional(MILLISECONDS, 'How long a holder that is stuck keeps its claim without renewing it'),
  connectionsMax: optional(COUNT, 'How many connections there may be at once'),
  retryMsMax: optional(MILLISECONDS, 'How long an operation waits for a server that restarts'),
  isAlive: optional(FUNCTION),
} satisfies EntriesOf<PostgresStoreOptions>)

type Tables = Awaited<ReturnType<typeof openTables>>

async function openTables(options: Parameters<typeof openPostgres>[0], rule: PostgresClaimRule) {
  const connection = await openPostgres(options)
  const schema = schemaOf(options.url)
  try {
    await ensureSchema(connection, schema)
  } catch (error) {
    await connection.close()
    throw error
  }
  const claims = postgresClaims(connection, schema, rule)
  const texts = postgresTexts(connection, schema)
  return {
    connection,
    claims,
    texts,
    events: postgresEvents(connection, schema, claims, texts),
    snapshots: postgresSnapshots(connection, schema),
    lists: postgresLists(connection, schema),
    space: postgresSpace(connection, schema, claims),
    queue: postgresQueue(connection, schema, claims),
  }
}

function journalOf(
  tables: OpenOnce<Tables>,
  changes: PostgresChanges,
): Pick<Store, 'append' | 'adopt' | 'read' | 'readStored' | 'watch'> {
  async function readStored(run: RunId, after: Seq = 0, limit?: number): Promise<readonly StoredEvent[]> {
    return await (await tables.use()).events.readStored(run, after, limit)
  }
  async function read(run: RunId, after: Seq = 0, limit?: number): Promise<readonly SealedEvent[]> {
    return (await readStored(run, after, limit)).map((event) => upcast(event))
  }
  return {
    readStored,
    read,
    async append(run, facts, driving) {
      checkAppend(run, facts, driving)
      const prepared = prepareFacts(run, await redactFacts(facts))
      const result = await (await tables.use()).events.append(run, prepared, driving)
      if (result.status === 'appended') changes.notify(run)
      return result
    },
    async adopt(claim, stored) {
      const result = await (await tables.use()).events.adopt(claim, sealedElsewhere(claim.run, stored))
      if (result.status === 'appended') changes.notify(claim.run)
      return result
    },
    async *watch(run, after, signal) {
      await tables.use()
      const { version, stop } = changes.watch(run)
      try {
        yield* watchEvents({ read, version, wait: changes.wait, isClosed: () => tables.isClosed }, run, after, signal)
      } finally {
        stop()
      }
    },
  }
}

function claimsOf(tables: OpenOnce<Tables>): Pick<Store, 'claim' | 'renew' | 'release' | 'holder'> {
  return {
    async claim(run, holder) {
      const { claims, events } = await tables.use()
      events.forget(run)
      return await claims.claim(run, holder)
    },
    async renew(claim) {
      return await (await tables.use()).claims.renew(claim)
    },
    async release(claim) {
      const { claims, events } = await tables.use()
      events.forget(claim.run)
      await claims.release(claim)
    },
    async holder(run, which) {
      return await (await tables.use()).claims.holder(run, which)
    },
  }
}

function keepingOf(tables: OpenOnce<Tables>): Pick<Store, 'putText' | 'getText' | 'dropText' | 'putSnapshot' | 'getSnapshot'> {
  return {
    async putText(text) {
      const { content, ref } = await keepableText(text)
      await (await tables.use()).texts.put(ref.sha256, content)
      return ref
    },
    async getText(ref) {
      return await (await tables.use()).texts.get(ref.sha256)
    },
    async dropText(ref) {
      await (await tables.use()).texts.drop(ref.sha256)
    },
    async putSnapshot(run, snapshot) {
      const state = await keepableState(snapshot)
      if (state !== undefined) await (await tables.use()).snapshots.put(run, snapshot, state)
    },
    async getSnapshot(run) {
      return await (await tables.use()).snapshots.get(run)
    },
  }
}

function listsOf(
  tables: OpenOnce<Tables>,
  changes: PostgresChanges,
): Pick<Store, 'runs' | 'watchRuns' | 'staleRuns' | 'putSummaries' | 'findRuns'> {
  return {
    async runs() {
      return await (await tables.use()).lists.runs()
    },
    async *watchRuns(signal) {
      const { lists } = await tables.use()
      const { version, stop } = changes.watch(undefined)
      try {
        const source = { ends: () => lists.ends(), version, wait: changes.wait, isClosed: () => tables.isClosed }
        yield* watchRunEnds(source, signal)
      } finally {
        stop()
      }
    },
    async staleRuns(version) {
      return await (await tables.use()).lists.stale(version)
    },
    async putSummaries(summaries) {
      await (await tables.use()).lists.put(summaries)
    },
    async findRuns(query) {
      return await (await tables.use()).lists.find(query)
    },
  }
}

function queueOf(tables: OpenOnce<Tables>): RunQueue {
  return {
    async put(entry) {
      await (await tables.use()).queue.put(entry)
    },
    async take(worker) {
      const { queue, events } = await tables.use()
      const taken = await queue.take(worker)
      if (taken) events.forget(taken.claim.run)
      return taken
    },
    async putBack(claim, until) {
      return await (await tables.use()).queue.putBack(claim, until)
    },
    async remove(claim) {
      return await (await tables.use()).queue.remove(claim)
    },
    async list() {
      return await (await tables.use()).queue.list()
    },
  }
}

interface PostgresSnapshots {
  /** `text` is the state as JSON. */
  put(run: RunId, snapshot: Snapshot, text: string): Promise<void>
  get(run: RunId): Promise<Snapshot | undefined>
}

/** One snapshot per run: the last one put. */
function postgresSnapshots({ ask, transact }: PostgresConnection, schema: string): PostgresSnapshots {
  const read = snapshotReader()
  return {
    async put(run, snapshot, text) {
      const { seq, hash, version, state } = snapshotRow(snapshot, text)
      await transact(async (client) => {
        await client.query(`INSERT INTO ${schema}.runs (run) VALUES ($1) ON CONFLICT DO NOTHING`, [run])
        await client.query(
          `INSERT INTO ${schema}.snapshots SELECT id, $2::int, $3, $4::int, $5 FROM ${schema}.runs WHERE run = $1
           ON CONFLICT (run) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, version = excluded.version, state = excluded.state`,
          [run, seq, hash, version, state],
        )
      })
    },
    async get(run) {
      const [row] = await ask(
        `SELECT seq, hash, version, state FROM ${schema}.snapshots WHERE run = (SELECT id FROM ${schema}.runs WHERE run = $1)`,
        [run],
      )
      return read(row as unknown as SnapshotRow | undefined)
    },
  }
}
