import { resolve } from 'node:path'
import type { ProcessIdentity, TextRef } from '../../core/event-data.ts'
import type { Fact, RunId, Seq } from '../../core/event.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { prepareFacts } from '../../journal/seal.ts'
import type { StoredEvent } from '../../journal/stored-event.ts'
import { upcast } from '../../journal/upcast.ts'
import type { Captured } from '../../ports/captured.ts'
import type {
  AppendResult,
  Claim,
  ClaimResult,
  DrivingAppend,
  RunEntry,
  SealedEvent,
  Snapshot,
  Store,
} from '../../ports/store.ts'
import { isProcessAlive } from '../../process/process-identity.ts'
import { changes, watchEvents } from './changes.ts'
import { LEASE_MS_DEFAULT, checkLease } from './claim-rule.ts'
import { isKeepable, keepableText } from './keepable.ts'
import { OpenedOnce } from './opened-once.ts'
import { sqliteClaims } from './sqlite-claims.ts'
import { openSqlite } from './sqlite-connection.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { sqliteEvents } from './sqlite-events.ts'
import { sqliteRuns } from './sqlite-runs.ts'
import { sqliteSnapshots } from './sqlite-snapshots.ts'
import { sqliteTexts } from './sqlite-texts.ts'
import { checkAppend } from './store-journal.ts'
import type { StoredJournal } from './store-journal.ts'

export interface SqliteStoreOptions {
  /** The file, made with its folder when first used. A folder named `.pawl` is kept out of git. */
  readonly path: string
  /** `FULL` (default): what was acknowledged survives a power cut. `NORMAL`: only a crash of the process; several times faster. */
  readonly synchronous?: 'FULL' | 'NORMAL'
  /** How long a holder that is stuck or on another machine keeps its claim without renewing it. Default 60,000. */
  readonly leaseMs?: number
}

/** A store in one SQLite file, for any number of processes of one machine. The file is opened when first used. */
export function sqliteStore({
  path,
  synchronous = 'FULL',
  leaseMs = LEASE_MS_DEFAULT,
}: SqliteStoreOptions): Store & StoredJournal {
  if (path === '')
    throw new PawlError('store.path', 'sqliteStore needs the path of a file, like ".pawl/pawl.db".', { value: path })
  checkLease(leaseMs)
  const file = resolve(path)
  return storeOver(file, () => openSqlite({ path: file, synchronous }), leaseMs)
}

/** The store over a connection that `open` makes when it is first needed. */
export function storeOver(path: string, open: () => Promise<SqliteConnection>, leaseMs: number): Store & StoredJournal {
  return new SqliteStore(new OpenedOnce(path, async () => tablesOf(await open())), leaseMs)
}

/** How often a watcher asks whether another process has written. */
const POLL_MS = 100

class SqliteStore implements Store, StoredJournal {
  readonly #tables: OpenedOnce<Tables>
  readonly #leaseMs: number
  readonly #changes = changes()

  constructor(tables: OpenedOnce<Tables>, leaseMs: number) {
    this.#tables = tables
    this.#leaseMs = leaseMs
  }

  async append(run: RunId, facts: readonly Fact[], driving?: DrivingAppend): Promise<AppendResult> {
    checkAppend(run, facts, driving)
    const preparing = prepareFacts(run, facts)
    const prepared = preparing instanceof Promise ? await preparing : preparing
    const { events } = this.#tables.present ?? (await this.#tables.use())
    const result = await events.append(run, prepared, driving)
    if (result.status === 'appended') this.#changes.notify()
    return result
  }

  async read(run: RunId, after: Seq = 0): Promise<readonly SealedEvent[]> {
    return (await this.readStored(run, after)).map((event) => upcast(event))
  }

  async readStored(run: RunId, after: Seq = 0): Promise<readonly StoredEvent[]> {
    return await (await this.#tables.use()).events.readStored(run, after)
  }

  async *watch(run: RunId, after: Seq, signal: AbortSignal): AsyncGenerator<readonly SealedEvent[], void, void> {
    const { dataVersion } = await this.#tables.use()
    const source = {
      read: (from: RunId, since: Seq) => this.read(from, since),
      version: () => `${this.#changes.count()}/${dataVersion()}`,
      wait: (until: AbortSignal) => this.#changes.wait(until, POLL_MS),
      isClosed: () => this.#tables.isClosed,
    }
    yield* watchEvents(source, run, after, signal)
  }

  async claim(run: RunId, holder: ProcessIdentity): Promise<ClaimResult> {
    const rule = { now: Date.now(), leaseMs: this.#leaseMs, isAlive: isProcessAlive }
    return await (await this.#tables.use()).claims.claim(run, holder, rule)
  }

  async renew(claim: Claim): Promise<boolean> {
    return await (await this.#tables.use()).claims.renew(claim, Date.now())
  }

  async release(claim: Claim): Promise<void> {
    await (await this.#tables.use()).claims.release(claim)
  }

  async putText(text: Captured): Promise<TextRef> {
    const { content, ref } = await keepableText(text)
    await (await this.#tables.use()).texts.put(ref.sha256, content)
    return ref
  }

  async getText(ref: TextRef): Promise<string | undefined> {
    return await (await this.#tables.use()).texts.get(ref.sha256)
  }

  async putSnapshot(run: RunId, snapshot: Snapshot): Promise<void> {
    if (await isKeepable(snapshot)) await (await this.#tables.use()).snapshots.put(run, snapshot)
  }

  async getSnapshot(run: RunId): Promise<Snapshot | undefined> {
    return await (await this.#tables.use()).snapshots.get(run)
  }

  async runs(): Promise<readonly RunEntry[]> {
    return await (await this.#tables.use()).runs.list()
  }

  async close(): Promise<void> {
    const tables = await this.#tables.close()
    tables?.connection.database.close()
    this.#changes.notify()
  }
}

type Tables = ReturnType<typeof tablesOf>

function tablesOf(connection: SqliteConnection) {
  const runs = sqliteRuns(connection)
  const claims = sqliteClaims(connection, runs)
  const dataVersion = connection.database.prepare('PRAGMA data_version')
  return {
    connection,
    runs,
    claims,
    events: sqliteEvents(connection, runs, claims),
    texts: sqliteTexts(connection),
    snapshots: sqliteSnapshots(connection, runs),
    /** Differs after every change by another connection. */
    dataVersion: () => Number(dataVersion.get()?.['data_version']),
  }
}
