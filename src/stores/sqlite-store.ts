import { resolve } from 'node:path'
import type { RunId, Seq } from '../core/event.ts'
import { COUNT, oneOf, type OptionKinds } from '../core/option-kinds.ts'
import { PawlError } from '../core/pawl-error.ts'
import { prepareFacts } from '../journal/seal.ts'
import { redactFacts } from '../secrets/filter.ts'
import { requireOptions } from '../core/require-options.ts'
import type { StoredEvent } from '../core/stored-event.ts'
import { upcast } from '../journal/upcast.ts'
import type { SealedEvent, Store } from './store.ts'
import { isProcessAlive } from '../process/process-identity.ts'
import { changes, watchEvents } from './changes.ts'
import type { Changes } from './changes.ts'
import { LEASE_MS_DEFAULT, checkLease } from './claim-rule.ts'
import { keepableState, keepableText } from './keepable.ts'
import { OpenedOnce } from './sqlite-opened-once.ts'
import { sqliteClaims } from './sqlite-claims.ts'
import { openSqlite } from './sqlite-connection.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { isBusy, storeError } from './sqlite-error.ts'
import { sqliteEvents } from './sqlite-events.ts'
import { sqliteJournalEnds } from './sqlite-journal-ends.ts'
import { sqliteRuns } from './sqlite-runs.ts'
import { sqliteSnapshots } from './sqlite-snapshots.ts'
import { witnessedEnds } from './sqlite-tampering.ts'
import { sqliteTexts } from './sqlite-texts.ts'
import { watchedConnection } from './sqlite-watched-files.ts'
import { checkAppend } from './check-append.ts'

export interface SqliteStoreOptions {
  /** The file, made with its folder when first used. A folder named `.pawl` is kept out of git. */
  readonly path: string
  /** `FULL` (default): what was acknowledged survives a power cut. `NORMAL`: only a crash of the process; several times faster. */
  readonly synchronous?: 'FULL' | 'NORMAL'
  /** How long a holder that is stuck or on another machine keeps its claim without renewing it. Default 60,000. */
  readonly leaseMs?: number
  /** How far back the chain of a run is looked at before the first append to it. Default 100; less where many short processes do it. */
  readonly eventsLookedAt?: number
  /** How many pages the log may have before it is taken into the file. Default 4,000; less where short processes leave it behind. */
  readonly logPagesMax?: number
}

/** A store in one SQLite file, for any number of processes of one machine. The file is opened when first used. */
export function sqliteStore(options: SqliteStoreOptions): Store {
  requireOptions('sqliteStore', options, OPTIONS)
  const { path, synchronous = 'FULL', leaseMs = LEASE_MS_DEFAULT, eventsLookedAt, logPagesMax } = options
  if (typeof path !== 'string' || path === '')
    throw new PawlError('store.path', 'sqliteStore needs the path of a file, like ".pawl/pawl.db".', { value: path })
  checkLease(leaseMs)
  const file = resolve(path)
  const log = logPagesMax === undefined ? {} : { logPagesMax }
  return storeOver(file, () => openSqlite({ path: file, synchronous, ...log }), leaseMs, eventsLookedAt)
}

const OPTIONS: OptionKinds<SqliteStoreOptions> = {
  path: true,
  synchronous: oneOf('FULL', 'NORMAL'),
  leaseMs: true,
  eventsLookedAt: COUNT,
  logPagesMax: COUNT,
}

/** The store over a connection that `open` makes when it is first needed. */
export function storeOver(path: string, open: () => Promise<SqliteConnection>, leaseMs: number, eventsLookedAt?: number): Store {
  const tables = new OpenedOnce(path, async () => tablesOf(await open(), eventsLookedAt))
  const local = changes()
  return {
    ...journalOf(tables, local),
    ...claimsOf(tables, leaseMs),
    ...keepingOf(tables),
    async runs() {
      return await (await tables.use()).runs.list()
    },
    async close() {
      const opened = await tables.close()
      try {
        await opened?.texts.flushAlone()
        opened?.connection.lookOnceMore()
      } finally {
        opened?.connection.database.close()
        local.notify()
      }
    },
  }
}

/** How often a watcher asks whether another process has written. */
const POLL_MS = 100

function journalOf(tables: OpenedOnce<Tables>, local: Changes): Pick<Store, 'append' | 'read' | 'readStored' | 'watch'> {
  async function readStored(run: RunId, after: Seq = 0): Promise<readonly StoredEvent[]> {
    return await (await tables.use()).events.readStored(run, after)
  }
  async function read(run: RunId, after: Seq = 0): Promise<readonly SealedEvent[]> {
    return (await readStored(run, after)).map((event) => upcast(event))
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

function claimsOf(tables: OpenedOnce<Tables>, leaseMs: number): Pick<Store, 'claim' | 'renew' | 'release' | 'holder'> {
  return {
    async claim(run, holder) {
      return await (await tables.use()).claims.claim(run, holder, { now: Date.now(), leaseMs, isAlive: isProcessAlive })
    },
    async renew(claim) {
      return await (await tables.use()).claims.renew(claim, Date.now())
    },
    async release(claim) {
      await (await tables.use()).claims.release(claim)
    },
    async holder(run, which) {
      return await (await tables.use()).claims.holder(run, { now: Date.now(), leaseMs, isAlive: isProcessAlive }, which)
    },
  }
}

function keepingOf(tables: OpenedOnce<Tables>): Pick<Store, 'putText' | 'getText' | 'dropText' | 'putSnapshot' | 'getSnapshot'> {
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
  const connection = watchedConnection(opened)
  const runs = sqliteRuns(connection)
  const ends = witnessedEnds(connection, sqliteJournalEnds(connection), eventsLookedAt)
  const claims = sqliteClaims(connection, runs, ends)
  const texts = sqliteTexts(connection)
  const dataVersion = connection.database.prepare('PRAGMA data_version')
  return {
    connection,
    runs,
    claims,
    events: sqliteEvents(connection, runs, claims, texts, ends),
    texts,
    snapshots: sqliteSnapshots(connection, runs),
    /** Differs after every change by another connection. Locked: as if changed, since reading knows how to wait. */
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
