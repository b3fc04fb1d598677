import type { ProcessIdentity, TextRef } from '../../core/event-data.ts'
import type { Fact, RunId, Seq } from '../../core/event.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { GENESIS } from '../../journal/hash-chain.ts'
import { prepareFacts, seal } from '../../journal/seal.ts'
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
import type { Changes } from './changes.ts'
import { LEASE_MS_DEFAULT, checkLease, judgeClaim } from './claim-rule.ts'
import type { KnownClaim } from './claim-rule.ts'
import { isKeepable, keepableText } from './keepable.ts'
import { checkAppend } from './store-journal.ts'
import type { StoredJournal } from './store-journal.ts'

/** What outlives a store: give the same one to several stores, and they are processes that share a disk. */
export interface MemoryDisk {
  readonly runs: Map<string, MemoryRun>
  readonly texts: Map<string, Buffer>
  readonly changes: Changes
}

interface MemoryRun {
  /** Texts, not objects: what was written cannot be changed by who reads it. */
  readonly events: { readonly text: string; readonly hash: string }[]
  claim?: KnownClaim
  snapshot?: string
}

export function memoryDisk(): MemoryDisk {
  return { runs: new Map(), texts: new Map(), changes: changes() }
}

export interface MemoryStoreOptions {
  /** Default: a new one of its own. */
  readonly disk?: MemoryDisk
  /** How long a holder that is stuck or out of sight keeps its claim without renewing it. Default 60,000. */
  readonly leaseMs?: number
  /** Milliseconds since the epoch, for leases. Default `Date.now`; a simulator gives its own clock. */
  readonly now?: () => number
  /** Default: asks the operating system; a simulator knows better. */
  readonly isAlive?: (identity: ProcessIdentity) => boolean | 'unknown'
}

/** A store in memory with the semantics of the durable ones: it redacts, seals and fences just as they do. For tests. */
export function memoryStore({
  disk = memoryDisk(),
  leaseMs = LEASE_MS_DEFAULT,
  now = Date.now,
  isAlive = isProcessAlive,
}: MemoryStoreOptions = {}): Store & StoredJournal {
  checkLease(leaseMs)
  return new MemoryStore({ disk, leaseMs, now, isAlive })
}

class MemoryStore implements Store, StoredJournal {
  readonly #options: Required<MemoryStoreOptions>
  #isClosed = false

  constructor(options: Required<MemoryStoreOptions>) {
    this.#options = options
  }

  async append(run: RunId, facts: readonly Fact[], driving?: DrivingAppend): Promise<AppendResult> {
    checkAppend(run, facts, driving)
    const prepared = await prepareFacts(run, facts)
    const known = this.#disk.runs.get(run)
    const seq = known?.events.length ?? 0
    if (driving !== undefined) {
      if (this.#heldBy(driving.claim) === undefined) return { status: 'fenced', holder: holderOf(known?.claim) }
      if (driving.expectedSeq !== seq) return { status: 'conflict', seq }
    }
    if (prepared.length === 0) return { status: 'appended', events: [] }
    const sealed = seal(prepared, seq, known?.events.at(-1)?.hash ?? GENESIS)
    this.#runOf(run).events.push(...sealed.map(({ text, event }) => ({ text, hash: event.hash })))
    this.#disk.changes.notify()
    return { status: 'appended', events: sealed.map(({ event }) => event) }
  }

  async read(run: RunId, after: Seq = 0): Promise<readonly SealedEvent[]> {
    return (await this.readStored(run, after)).map((event) => upcast(event))
  }

  async readStored(run: RunId, after: Seq = 0): Promise<readonly StoredEvent[]> {
    const events = this.#disk.runs.get(run)?.events.slice(after) ?? []
    return events.map(({ text, hash }) => ({ ...JSON.parse(text), hash }))
  }

  async *watch(run: RunId, after: Seq, signal: AbortSignal): AsyncGenerator<readonly SealedEvent[], void, void> {
    const { count, wait } = this.#disk.changes
    const read = (from: RunId, since: Seq) => this.read(from, since)
    yield* watchEvents({ read, version: count, wait, isClosed: () => this.#isClosed }, run, after, signal)
  }

  async claim(run: RunId, holder: ProcessIdentity): Promise<ClaimResult> {
    const { leaseMs, isAlive } = this.#options
    const now = this.#options.now()
    const before = this.#disk.runs.get(run)?.claim
    const judgement = judgeClaim(before, { now, leaseMs, isAlive })
    if (judgement.status === 'held') return judgement
    const epoch = (before?.epoch ?? 0) + 1
    this.#runOf(run).claim = { epoch, holder, since: now, renewedAt: now, isReleased: false }
    const takenOver = judgement.takenOverFrom && { takenOverFrom: judgement.takenOverFrom }
    return { status: 'claimed', claim: { run, epoch }, ...takenOver }
  }

  async renew(claim: Claim): Promise<boolean> {
    const run = this.#heldBy(claim)
    if (run !== undefined) run.claim = { ...run.claim, renewedAt: this.#options.now() }
    return run !== undefined
  }

  async release(claim: Claim): Promise<void> {
    const run = this.#heldBy(claim)
    if (run !== undefined) run.claim = { ...run.claim, isReleased: true }
  }

  async putText(text: Captured): Promise<TextRef> {
    const { content, ref } = await keepableText(text)
    this.#disk.texts.set(ref.sha256, content)
    return ref
  }

  async getText(ref: TextRef): Promise<string | undefined> {
    return this.#disk.texts.get(ref.sha256)?.toString('utf8')
  }

  async putSnapshot(run: RunId, snapshot: Snapshot): Promise<void> {
    if (await isKeepable(snapshot)) this.#runOf(run).snapshot = JSON.stringify(snapshot)
  }

  async getSnapshot(run: RunId): Promise<Snapshot | undefined> {
    const text = this.#disk.runs.get(run)?.snapshot
    return text === undefined ? undefined : (JSON.parse(text) as Snapshot)
  }

  async runs(): Promise<readonly RunEntry[]> {
    const entries = [...this.#disk.runs].flatMap(([run, { events }]) => {
      const [first, last] = [events[0], events.at(-1)]
      if (first === undefined || last === undefined) return []
      return [{ run, seq: events.length, startedAt: JSON.parse(first.text).at, updatedAt: JSON.parse(last.text).at }]
    })
    return entries.toSorted((a, b) => b.updatedAt - a.updatedAt || (a.run < b.run ? -1 : 1))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#options.disk.changes.notify()
  }

  get #disk(): MemoryDisk {
    if (!this.#isClosed) return this.#options.disk
    throw new PawlError('store.closed', 'The store in memory was used after it was closed: make another one on its disk.')
  }

  #runOf(run: RunId): MemoryRun {
    let found = this.#disk.runs.get(run)
    if (found === undefined) this.#disk.runs.set(run, (found = { events: [] }))
    return found
  }

  /** The run, when the claim is its newest one and still held. */
  #heldBy(claim: Claim): (MemoryRun & { claim: KnownClaim }) | undefined {
    const run = this.#disk.runs.get(claim.run)
    const isHeld = run?.claim !== undefined && run.claim.epoch === claim.epoch && !run.claim.isReleased
    return isHeld ? (run as MemoryRun & { claim: KnownClaim }) : undefined
  }
}

function holderOf(claim: KnownClaim | undefined): ProcessIdentity | undefined {
  return claim?.isReleased ? undefined : claim?.holder
}
