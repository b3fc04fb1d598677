import { uptime } from 'node:os'
import type { RunId, Seq, StoredEvent } from '../core/event.ts'
import { prepareFacts, sealedElsewhere } from '../journal/seal.ts'
import { upcast } from '../journal/upcast.ts'
import { isProcessAlive } from '../process/process-identity.ts'
import { redactFacts } from '../journal/redact-facts.ts'
import { changes, type Changes, watchEvents, watchRunEnds } from './changes.ts'
import { OpenOnce } from './open-once.ts'
import { isBusy, openSqlite, type SqliteConnection, storeClosed, storeError } from './sqlite-connection.ts'
import { sqliteClaims, sqliteEvents, sqliteJournalEnds, sqliteRuns, toKnownClaim } from './sqlite-journal.ts'
import { sqliteQueue } from './sqlite-queue.ts'
import { sqliteSnapshots } from './sqlite-snapshots.ts'
import { sqliteSpace } from './sqlite-space.ts'
import { sqliteSummaries } from './sqlite-summaries.ts'
import { watchFiles, verifiedEnds } from './sqlite-tampering.ts'
import { sqliteTexts } from './sqlite-texts.ts'
import { checkAppend, keepableState, keepableText, LEASE_MS_DEFAULT } from './store-rules.ts'
import type { RunQueue, SealedEvent, Store } from './store.ts'

export interface SqliteStoreOptions {
  /** The file, created with its folder when first used. A folder named `.pawl` is kept out of git. */
  readonly path: string
  /** `FULL` (default): acknowledged appends survive a power cut. `NORMAL`: only a crash of the process; several times faster. */
  readonly synchronous?: 'FULL' | 'NORMAL'
  /** How long a holder that is stuck or on another machine keeps its claim without renewing it. Default 60,000. */
  readonly leaseMs?: number
  /** How many events of a run's chain are verified before the first append to it. Default 100; fewer for short processes. */
  readonly eventsLookedAt?: number
  /** How many pages the log may have before a checkpoint. Default 4,000; fewer for short processes, which leave it behind. */
  readonly logPagesMax?: number
}

/**
 * A store in one SQLite file. Options are taken as they are: a hook opens a store at every step of an agent, and shouldn't load the
 * schema that checks them.
 */
export function sqliteFile({
  path,
  synchronous = 'FULL',
  leaseMs = LEASE_MS_DEFAULT,
  eventsLookedAt,
  logPagesMax,
}: SqliteStoreOptions): Store {
  const log = logPagesMax === undefined ? {} : { logPagesMax }
  return storeOver(path, () => openSqlite({ path, synchronous, ...log }), leaseMs, eventsLookedAt)
}

/** The store over a connection that `open` makes when first needed. */
export function storeOver(path: string, open: () => Promise<SqliteConnection>, leaseMs: number, eventsLookedAt?: number): Store {
  const tables = new OpenOnce(
    async () => tablesOf(await open(), eventsLookedAt),
    () => storeClosed(path),
  )
  const local = changes()
  return {
    ...journalOf(tables, local),
    ...claimsOf(tables, leaseMs),
    ...keepingOf(tables),
    queue: queueOf(tables, leaseMs),
    async runs() {
      return await (await tables.use()).runs.list()
    },
    async *watchRuns(signal) {
      const { dataVersion, summaries } = await tables.use()
      const source = {
        ends: summaries.ends,
        version: () => `${local.count()}/${dataVersion()}`,
        wait: (until: AbortSignal) => local.wait(until, POLL_MS),
        isClosed: () => tables.isClosed,
      }
      yield* watchRunEnds(source, signal)
    },
    async staleRuns(version) {
      return await (await tables.use()).summaries.stale(version)
    },
    async putSummaries(summaries) {
      await (await tables.use()).summaries.put(summaries)
    },
    async findRuns(query) {
      return await (await tables.use()).summaries.find(query)
    },
    async remove(claim) {
      const isRemoved = await (await tables.use()).space.remove(claim)
      if (isRemoved) local.notify()
      return isRemoved
    },
    async sizes() {
      return await (await tables.use()).space.sizes()
    },
    async compact() {
      const { space, texts } = await tables.use()
      await texts.flushAlone()
      return await space.compact({ now: Date.now(), leaseMs, isAlive: isProcessAlive }, toKnownClaim)
    },
    async close() {
      const opened = await tables.close()
      try {
        await opened?.texts.flushAlone()
        opened?.connection.checkFiles()
      } finally {
        opened?.connection.database.close()
        local.notify()
      }
    },
  }
}

/** How often a watcher checks whether another process has written. */
const POLL_MS = 100

function journalOf(tables: OpenOnce<Tables>, local: Changes): Pick<Store, 'append' | 'adopt' | 'read' | 'readStored' | 'watch'> {
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
      const redacting = redactFacts(facts)
      const prepared = prepareFacts(run, redacting instanceof Promise ? await redacting : redacting)
      const { events } = tables.present ?? (await tables.use())
      const appending = events.append(run, prepared, driving)
      const result = appending instanceof Promise ? await appending : appending
      if (result.status === 'appended') local.notify()
      return result
    },
    async adopt(claim, stored) {
      const sealed = sealedElsewhere(claim.run, stored)
      const result = await (await tables.use()).events.adopt(claim, sealed)
      if (result.status === 'appended') local.notify()
      return result
    },
    async *watch(run, after, signal) {
      const { dataVersion } = await tables.use()
      const source = {
        read,
        version: () => `${local.count()}/${dataVersion()}`,
        wait: (until: AbortSignal) => local.wait(until, POLL_MS),
        isClosed: () => tables.isClosed,
      }
      yield* watchEvents(source, run, after, signal)
    },
  }
}

function timeNow(): { readonly now: number; readonly upMs: number } {
  return { now: Date.now(), upMs: Math.round(uptime() * 1000) }
}

function claimsOf(tables: OpenOnce<Tables>, leaseMs: number): Pick<Store, 'claim' | 'renew' | 'release' | 'holder'> {
  return {
    async claim(run, holder) {
      return await (await tables.use()).claims.claim(run, holder, { ...timeNow(), leaseMs, isAlive: isProcessAlive })
    },
    async renew(claim) {
      return await (await tables.use()).claims.renew(claim, timeNow())
    },
    async release(claim) {
      await (await tables.use()).claims.release(claim)
    },
    async holder(run, which) {
      return await (await tables.use()).claims.holder(run, { ...timeNow(), leaseMs, isAlive: isProcessAlive }, which)
    },
  }
}

function queueOf(tables: OpenOnce<Tables>, leaseMs: number): RunQueue {
  return {
    async put(entry) {
      await (await tables.use()).queue.put(entry)
    },
    async take(worker) {
      return await (await tables.use()).queue.take(worker, { ...timeNow(), leaseMs, isAlive: isProcessAlive })
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

function keepingOf(tables: OpenOnce<Tables>): Pick<Store, 'putText' | 'getText' | 'dropText' | 'putSnapshot' | 'getSnapshot'> {
  return {
    async putText(text) {
      const keeping = keepableText(text)
      const { content, ref } = keeping instanceof Promise ? await keeping : keeping
      const { texts } = tables.present ?? (await tables.use())
      const putting = texts.put(ref.sha256, content)
      if (putting) await putting
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

type Tables = ReturnType<typeof tablesOf>

function tablesOf(opened: SqliteConnection, eventsLookedAt?: number) {
  const connection = watchFiles(opened)
  const runs = sqliteRuns(connection)
  const ends = verifiedEnds(connection, sqliteJournalEnds(connection), eventsLookedAt)
  const claims = sqliteClaims(connection, runs, ends)
  const texts = sqliteTexts(connection)
  const dataVersion = connection.database.prepare('PRAGMA data_version')
  return {
    connection,
    runs,
    claims,
    queue: sqliteQueue(connection, runs, claims),
    events: sqliteEvents(connection, runs, claims, texts, ends),
    texts,
    snapshots: sqliteSnapshots(connection, runs),
    summaries: sqliteSummaries(connection),
    space: sqliteSpace(connection, ends),
    /** Differs after every change by another connection. A locked database counts as changed, since reading can wait. */
    dataVersion: () => {
      try {
        return Number(dataVersion.get()?.['data_version'])
      } catch (error) {
        if (isBusy(error)) return -performance.now()
        throw storeError(error, connection.path)
      }
    },
  }
}
