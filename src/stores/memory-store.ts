import type { ProcessIdentity } from '../core/event-data.ts'
import type { RunId, Seq, StoredEvent } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { GENESIS } from '../journal/hash-chain.ts'
import { appendedEvents, prepareFacts, seal, sealedElsewhere } from '../journal/seal.ts'
import { upcast } from '../journal/upcast.ts'
import { isProcessAlive } from '../process/process-identity.ts'
import { redactFacts } from '../journal/redact-facts.ts'
import { changes, type Changes, watchEvents, watchRunEnds } from './changes.ts'
import { findInMemory } from './memory-runs.ts'
import {
  checkAppend,
  judgeClaim,
  judgeHolder,
  keepableState,
  keepableText,
  type KnownClaim,
  LEASE_MS_DEFAULT,
} from './store-rules.ts'
import type { Claim, ClaimResult, QueuedRun, RunChange, RunQueue, RunSummary, SealedEvent, Snapshot, Store } from './store.ts'
import { type EventText, sizesOf, unusedTexts } from './store-space.ts'
import { type EntriesOf, FUNCTION, having, MILLISECONDS, optional, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'

/** Outlives its stores: stores on the same disk behave like processes that share one. */
export interface MemoryDisk {
  readonly runs: Map<string, MemoryRun>
  readonly texts: Map<string, Buffer>
  readonly changes: Changes
  readonly queue: MemoryQueue
}

/** The queue, and when each project had its turn. */
interface MemoryQueue {
  readonly entries: Map<string, QueuedRun>
  readonly turns: Map<string, number>
}

interface MemoryRun {
  /** Texts, not objects: readers cannot change what was written. */
  readonly events: { readonly text: string; readonly hash: string }[]
  claim?: KnownClaim
  snapshot?: string
  summary?: string
}

/** An empty disk. */
export function memoryDisk(): MemoryDisk {
  return { runs: new Map(), texts: new Map(), changes: changes(), queue: { entries: new Map(), turns: new Map() } }
}

export interface MemoryStoreOptions {
  /** Default: a new, empty disk. */
  readonly disk?: MemoryDisk
  /** How long a holder that is stuck or not visible from here keeps its claim without renewing it. Default 60,000. */
  readonly leaseMs?: number
  /** Milliseconds since the epoch, for leases. Default `Date.now`; a simulator passes its own clock. */
  readonly now?: () => number
  /** Default: asks the operating system. */
  readonly isAlive?: (identity: ProcessIdentity) => boolean | 'unknown'
}

/** A store in memory, for tests. It redacts, seals and fences exactly as the durable stores do. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  readOptions('memoryStore', OPTIONS, options, 'store')
  const { disk = memoryDisk(), leaseMs = LEASE_MS_DEFAULT, now = Date.now, isAlive = isProcessAlive } = options
  let isClosed = false
  const handle: Handle = {
    get disk() {
      if (!isClosed) return disk
      throw new PawlError('store.closed', 'The store in memory was used after it was closed: make another one on its disk.')
    },
    isClosed: () => isClosed,
  }
  return {
    ...journalOf(handle, now),
    ...listsOf(handle),
    ...claimsOf(handle, { leaseMs, now, isAlive }),
    ...keepingOf(handle),
    queue: queueOf(handle, { leaseMs, now, isAlive }),
    ...spaceOf(handle, { leaseMs, now, isAlive }),
    async close() {
      isClosed = true
      disk.changes.notify()
    },
  }
}

const OPTIONS = settingsSchema({
  disk: optional(having('what memoryDisk() gives', 'runs', 'texts', 'changes', 'queue')),
  leaseMs: optional(MILLISECONDS),
  now: optional(FUNCTION),
  isAlive: optional(FUNCTION),
} satisfies EntriesOf<MemoryStoreOptions>)

/** One store's access to the disk: `disk` throws once the store is closed. */
interface Handle {
  readonly disk: MemoryDisk
  isClosed(): boolean
}

function journalOf(
  handle: Handle,
  now: () => number,
): Pick<Store, 'append' | 'adopt' | 'read' | 'readStored' | 'watch' | 'runs'> {
  async function readStored(run: RunId, after: Seq = 0, limit = Infinity): Promise<readonly StoredEvent[]> {
    const events = handle.disk.runs.get(run)?.events.slice(after, after + limit) ?? []
    return events.map(({ text, hash }) => ({ ...JSON.parse(text), hash }))
  }
  async function read(run: RunId, after: Seq = 0, limit = Infinity): Promise<readonly SealedEvent[]> {
    return (await readStored(run, after, limit)).map((event) => upcast(event))
  }
  return {
    readStored,
    read,
    async append(run, facts, driving) {
      checkAppend(run, facts, driving)
      const prepared = prepareFacts(run, await redactFacts(facts))
      const known = handle.disk.runs.get(run)
      const seq = known?.events.length ?? 0
      if (driving !== undefined) {
        if (driving.claim && heldBy(handle.disk, driving.claim) === undefined)
          return { status: 'fenced', holder: holderOf(known?.claim) }
        if (driving.expectedSeq !== seq) return { status: 'conflict', seq }
      }
      if (prepared.length === 0) return { status: 'appended', events: [] }
      const sealed = seal(prepared, seq, known?.events.at(-1)?.hash ?? GENESIS)
      for (const { text, hash } of sealed) runOf(handle.disk, run).events.push({ text, hash })
      const { entries } = handle.disk.queue
      const queued = driving?.claim ? undefined : entries.get(run)
      if (queued) entries.set(run, { ...queued, dueAt: Math.min(queued.dueAt ?? Infinity, now()) })
      handle.disk.changes.notify()
      return appendedEvents(sealed)
    },
    async adopt(claim, stored) {
      const sealed = sealedElsewhere(claim.run, stored)
      const known = heldBy(handle.disk, claim)
      if (!known) return { status: 'fenced', holder: holderOf(handle.disk.runs.get(claim.run)?.claim) }
      if (known.events.length > 0) return { status: 'conflict', seq: known.events.length }
      known.events.push(...sealed.map(({ text, hash }) => ({ text, hash })))
      handle.disk.changes.notify()
      return appendedEvents(sealed)
    },
    async *watch(run, after, signal) {
      const { count, wait } = handle.disk.changes
      yield* watchEvents({ read, version: count, wait, isClosed: handle.isClosed }, run, after, signal)
    },
    async runs() {
      const entries = [...handle.disk.runs].flatMap(([run, { events }]) => {
        const [first, last] = [events[0], events.at(-1)]
        if (first === undefined || last === undefined) return []
        return [{ run, seq: events.length, startedAt: JSON.parse(first.text).at, updatedAt: JSON.parse(last.text).at }]
      })
      return entries.toSorted((a, b) => b.updatedAt - a.updatedAt || (a.run < b.run ? -1 : 1))
    },
  }
}

function listsOf(handle: Handle): Pick<Store, 'watchRuns' | 'staleRuns' | 'putSummaries' | 'findRuns'> {
  const ends = (): readonly RunChange[] =>
    [...handle.disk.runs].filter(([, { events }]) => events.length > 0).map(([run, { events }]) => ({ run, seq: events.length }))
  const summaryOf = (run: string): RunSummary | undefined => {
    const text = handle.disk.runs.get(run)?.summary
    return text === undefined ? undefined : (JSON.parse(text) as RunSummary)
  }
  return {
    async *watchRuns(signal) {
      const { count, wait } = handle.disk.changes
      yield* watchRunEnds({ ends: async () => ends(), version: count, wait, isClosed: handle.isClosed }, signal)
    },
    async staleRuns(version) {
      return ends().filter(({ run, seq }) => {
        const summary = summaryOf(run)
        return summary?.seq !== seq || summary.version !== version
      })
    },
    async putSummaries(summaries) {
      for (const summary of summaries) {
        const run = handle.disk.runs.get(summary.run)
        if (run && run.events.length > 0) run.summary = JSON.stringify(summary)
      }
    },
    async findRuns(query) {
      return findInMemory(
        [...handle.disk.runs.keys()].flatMap((run) => summaryOf(run) ?? []),
        query,
      )
    },
  }
}

type ClaimOptions = Required<Pick<MemoryStoreOptions, 'leaseMs' | 'now' | 'isAlive'>>

function claimsOf(
  handle: Handle,
  { leaseMs, now, isAlive }: ClaimOptions,
): Pick<Store, 'claim' | 'renew' | 'release' | 'holder'> {
  return {
    claim: async (run, holder) => claimIn(handle.disk, run, holder, { leaseMs, now, isAlive }),
    async renew(claim) {
      const run = heldBy(handle.disk, claim)
      if (run !== undefined) run.claim = { ...run.claim, renewedAt: now() }
      return run !== undefined
    },
    async release(claim) {
      releaseIn(handle.disk, claim)
    },
    async holder(run, which) {
      return judgeHolder(handle.disk.runs.get(run)?.claim, { now: now(), leaseMs, isAlive }, which)
    },
  }
}

function claimIn(disk: MemoryDisk, run: RunId, holder: ProcessIdentity, { leaseMs, now, isAlive }: ClaimOptions): ClaimResult {
  const before = disk.runs.get(run)?.claim
  const at = now()
  const judgement = judgeClaim(before, { now: at, leaseMs, isAlive })
  if (judgement.status === 'held') return judgement
  const epoch = (before?.epoch ?? 0) + 1
  runOf(disk, run).claim = { epoch, holder, since: at, renewedAt: at, isReleased: false }
  return { status: 'claimed', claim: { run, epoch }, leaseMs, ...judgement.takenOver }
}

function releaseIn(disk: MemoryDisk, claim: Claim): boolean {
  const run = heldBy(disk, claim)
  if (run !== undefined) run.claim = { ...run.claim, isReleased: true }
  return run !== undefined
}

function queueOf(handle: Handle, options: ClaimOptions): RunQueue {
  return {
    async put(entry) {
      handle.disk.queue.entries.set(entry.run, structuredClone(entry))
    },
    async take({ holder, labels, eventVersion }) {
      const { runs, queue } = handle.disk
      const rule = { ...options, now: options.now() }
      const all = [...queue.entries.values()]
      const held = all.filter(({ run }) => judgeClaim(runs.get(run)?.claim, rule).status === 'held')
      const countHeld = (what: 'project' | 'repository', entry: QueuedRun): number =>
        held.filter((other) => other[what] === entry[what]).length
      const placeOf = (each: QueuedRun): readonly number[] => [
        -each.priority,
        countHeld('project', each),
        queue.turns.get(each.project) ?? 0,
        each.dueAt ?? 0,
      ]
      const [entry] = all
        .filter(
          (each) =>
            (each.dueAt ?? Infinity) <= rule.now &&
            each.eventVersion <= eventVersion &&
            each.labels.every((label) => labels.includes(label)) &&
            countHeld('repository', each) < (each.repositoryRunsMax ?? Infinity) &&
            !held.includes(each),
        )
        .toSorted((a, b) => comparePlaces(placeOf(a), placeOf(b)))
      if (!entry) return undefined
      const result = claimIn(handle.disk, entry.run, holder, options)
      if (result.status !== 'claimed') return undefined
      const taken = { ...entry, eventVersion }
      queue.entries.set(entry.run, taken)
      queue.turns.set(entry.project, Math.max(0, ...queue.turns.values()) + 1)
      return { ...result, entry: taken }
    },
    async putBack(claim, { seq, dueAt }) {
      const { runs, queue } = handle.disk
      const isOurs = releaseIn(handle.disk, claim)
      const entry = isOurs ? queue.entries.get(claim.run) : undefined
      if (!entry) return isOurs
      const { dueAt: _, ...rest } = entry
      const isStale = (runs.get(claim.run)?.events.length ?? 0) > seq
      const until = isStale ? options.now() : dueAt
      queue.entries.set(claim.run, until === undefined ? rest : { ...rest, dueAt: until })
      return true
    },
    async remove(claim) {
      const isOurs = releaseIn(handle.disk, claim)
      if (isOurs) handle.disk.queue.entries.delete(claim.run)
      return isOurs
    },
    async list() {
      return structuredClone([...handle.disk.queue.entries.values()])
    },
  }
}

function comparePlaces(one: readonly number[], other: readonly number[]): number {
  const differences = one.map((value, index) => value - (other[index] ?? 0))
  return differences.find((difference) => difference !== 0) ?? 0
}

function keepingOf(handle: Handle): Pick<Store, 'putText' | 'getText' | 'dropText' | 'putSnapshot' | 'getSnapshot'> {
  return {
    async putText(text) {
      const { content, ref } = await keepableText(text)
      handle.disk.texts.set(ref.sha256, content)
      return ref
    },
    async getText(ref) {
      return handle.disk.texts.get(ref.sha256)?.toString('utf8')
    },
    async dropText(ref) {
      handle.disk.texts.delete(ref.sha256)
    },
    async putSnapshot(run, snapshot) {
      if ((await keepableState(snapshot)) !== undefined) runOf(handle.disk, run).snapshot = JSON.stringify(snapshot)
    },
    async getSnapshot(run) {
      const text = handle.disk.runs.get(run)?.snapshot
      return text === undefined ? undefined : (JSON.parse(text) as Snapshot)
    },
  }
}

function spaceOf(handle: Handle, rule: ClaimOptions): Pick<Store, 'remove' | 'sizes' | 'compact'> {
  const eventTexts = (): readonly EventText[] =>
    [...handle.disk.runs].flatMap(([run, { events }]) => events.map(({ text }) => ({ run, text })))
  const textBytes = (): ReadonlyMap<string, number> =>
    new Map([...handle.disk.texts].map(([sha256, content]) => [sha256, content.byteLength]))
  return {
    async remove(claim) {
      const isHeld = heldBy(handle.disk, claim) !== undefined
      if (isHeld) handle.disk.queue.entries.delete(claim.run)
      if (isHeld) handle.disk.runs.delete(claim.run)
      if (isHeld) handle.disk.changes.notify()
      return isHeld
    },
    async sizes() {
      return sizesOf(eventTexts(), textBytes(), 0)
    },
    async compact() {
      const { runs, texts } = handle.disk
      const isHeld = [...runs.values()].some(({ claim }) => judgeHolder(claim, { ...rule, now: rule.now() }) !== undefined)
      if (isHeld) return undefined
      const unused = unusedTexts(eventTexts(), texts.keys())
      const bytesFreed = unused.reduce((sum, sha256) => sum + (texts.get(sha256)?.byteLength ?? 0), 0)
      for (const sha256 of unused) texts.delete(sha256)
      return { bytesFreed }
    },
  }
}

function runOf(disk: MemoryDisk, run: RunId): MemoryRun {
  let found = disk.runs.get(run)
  if (found === undefined) disk.runs.set(run, (found = { events: [] }))
  return found
}

/** The run, if the claim is its newest one and still held. */
function heldBy(disk: MemoryDisk, claim: Claim): (MemoryRun & { claim: KnownClaim }) | undefined {
  const run = disk.runs.get(claim.run)
  const isHeld = run?.claim !== undefined && run.claim.epoch === claim.epoch && !run.claim.isReleased
  return isHeld ? (run as MemoryRun & { claim: KnownClaim }) : undefined
}

function holderOf(claim: KnownClaim | undefined): ProcessIdentity | undefined {
  return claim?.isReleased ? undefined : claim?.holder
}
