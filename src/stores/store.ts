import type { ProcessIdentity, TextRef } from '../core/event-data.ts'
import type { Event, Fact, RunId, Seq, StoredEvent } from '../core/event.ts'
import type { Json } from '../core/json.ts'
import type { Captured } from '../process/output.ts'

/** An event in the journal: `hash` covers it and the previous hash. */
export type SealedEvent = Event & { readonly hash: string }

/** Permission to drive a run. An append with an older epoch is refused. */
export interface Claim {
  readonly run: RunId
  readonly epoch: number
}

export type ClaimResult =
  | {
      readonly status: 'claimed'
      readonly claim: Claim
      /** How long it lasts without being renewed; absent if it lasts until it is released. */
      readonly leaseMs?: number
      /** The previous holder, if it died or stopped renewing. */
      readonly takenOverFrom?: ProcessIdentity
      /** When the previous holder last renewed its claim. */
      readonly lastSeenAt?: number
    }
  | { readonly status: 'held'; readonly holder: ProcessIdentity; readonly since: number }

export type AppendResult =
  | { readonly status: 'appended'; readonly events: readonly SealedEvent[] }
  /** Someone appended first: read from `seq`, decide again, append again. */
  | { readonly status: 'conflict'; readonly seq: Seq }
  /** The claim is no longer the newest one: stop driving. */
  | { readonly status: 'fenced'; readonly holder: ProcessIdentity | undefined }

export interface DrivingAppend {
  /** Absent for a person, who needs none; then only facts `by` a person are accepted. */
  readonly claim?: Claim
  /** The last `seq` the writer knows (0 for a new run). */
  readonly expectedSeq: Seq
}

export interface Snapshot {
  readonly seq: Seq
  readonly hash: string
  readonly version: number
  readonly state: Json
  /** Set if the store notices that the snapshot was changed: ignore it. `pawl verify` reports it. */
  readonly isDamaged?: true
}

export interface RunEntry {
  readonly run: RunId
  readonly seq: Seq
  readonly startedAt: number
  readonly updatedAt: number
}

/** Where a run's journal ends now; 0 if the run was removed. */
export interface RunChange {
  readonly run: RunId
  readonly seq: Seq
}

/** What lists show of a run and find it by: a disposable copy of what its journal says, made when runs are listed. */
export interface RunSummary {
  readonly run: RunId
  /** The last event that it knows of. It is stale once the run has a later one. */
  readonly seq: Seq
  /** Version of its contents: a summary of another version is stale. */
  readonly version: number
  readonly status: string
  /** Whether the run waits for a person. */
  readonly isWaiting: boolean
  readonly loop: string
  readonly agent: string
  /** What a search looks through, in lower case. */
  readonly text: string
  readonly startedAt: number
  readonly updatedAt: number
  readonly iterations: number
  /** Absent if unknown. */
  readonly costUsd?: number
  /** What the list shows. */
  readonly row: Json
}

/** What runs can be sorted by. */
export const RUN_SORTS = ['updated', 'started', 'cost', 'iterations', 'run'] as const

/** What runs are sorted by. */
export type RunSort = (typeof RUN_SORTS)[number]

/** A page of runs: those that wait for a person come first, then as `sort` says. */
export interface RunQuery {
  /** Any of these. */
  readonly status?: readonly string[]
  readonly loop?: string
  readonly agent?: string
  /** A part of the text, in any case. */
  readonly search?: string
  /** Default `updated`. */
  readonly sort?: RunSort
  /** Default false: the newest, the dearest or the longest first. */
  readonly isAscending?: boolean
  readonly limit: number
  /** Where the page before ended. */
  readonly after?: RunPosition
}

/** The last run of a page: its place in the order. */
export interface RunPosition {
  readonly isWaiting: boolean
  readonly value: number | string
  readonly run: RunId
}

export interface RunPage {
  readonly items: readonly RunSummary[]
  /** Absent if this page is the last one. */
  readonly next?: RunPosition
  /** How many runs the query finds on all pages. */
  readonly total: number
  /** How many runs of the store wait for a person. */
  readonly waiting: number
}

/** What a run takes in a store. */
export interface RunSize {
  readonly run: RunId
  readonly events: number
  readonly eventBytes: number
  /** Bytes of the texts that only this run refers to. */
  readonly textBytes: number
}

export interface StoreSizes {
  readonly runs: readonly RunSize[]
  /** Bytes of the texts that several runs refer to. */
  readonly sharedTextBytes: number
  /** Bytes of the texts that nothing refers to: `compact` deletes them. */
  readonly unusedTextBytes: number
  /** Bytes of all files of the store. */
  readonly fileBytes: number
}

/**
 * A run that workers may drive. It stays in the queue while somebody drives it: the claim alone says who that is, so a dead worker's runs
 * are free together with its claims.
 */
export interface QueuedRun {
  readonly run: RunId
  /** Runs of several projects take turns. */
  readonly project: string
  /** What `repositoryRunsMax` counts. */
  readonly repository: string
  /** How many runs of the repository may be driven at once for this one to start. Default: any number. */
  readonly repositoryRunsMax?: number
  /** A worker must have all of them. */
  readonly labels: readonly string[]
  /** Higher first. */
  readonly priority: number
  /** When it may be taken, in milliseconds since the epoch. Absent while it waits for a person. */
  readonly dueAt?: number
  /** The newest version of events it may have. Workers that know only older ones leave it. */
  readonly eventVersion: number
}

/** Who asks for a run to drive. */
export interface QueueWorker {
  readonly holder: ProcessIdentity
  readonly labels: readonly string[]
  /** The newest version of events it reads, and writes. */
  readonly eventVersion: number
}

/** A run that was taken from the queue, with the claim on it. */
export interface TakenRun extends Extract<ClaimResult, { status: 'claimed' }> {
  readonly entry: QueuedRun
}

/**
 * The runs that workers drive. An append by a person makes a queued run due in the same transaction, so an answer is never missed. What
 * "now" is, the store says.
 */
export interface RunQueue {
  /** Adds a run, or replaces what the queue says of it. */
  put(entry: QueuedRun): Promise<void>
  /**
   * Claims the next due run that nobody holds, in one transaction: the highest priority, then the project with the fewest runs held,
   * then the project that had its turn longest ago, then the one that is due longest. `undefined` if there is no such run. The run's
   * `eventVersion` becomes the worker's.
   */
  take(worker: QueueWorker): Promise<TakenRun | undefined>
  /**
   * Releases the run and leaves it in the queue until `dueAt`, or until a person appends something if that is absent. It is due at once
   * if its journal has events after `seq`. `false`, and nothing changes, if the claim isn't the newest one.
   */
  putBack(claim: Claim, until: { readonly seq: Seq; readonly dueAt?: number }): Promise<boolean>
  /** Releases the run and takes it out of the queue; `false`, and nothing changes, if the claim isn't the newest one. */
  remove(claim: Claim): Promise<boolean>
  /** All runs in the queue, those that somebody drives too, in the order in which they were put there first. */
  list(): Promise<readonly QueuedRun[]>
}

/**
 * Appends, reads, watches, claims and queues; nothing else. Secrets are redacted before anything is hashed or written. An
 * acknowledged append survives a crash and a power cut. Operating failures (disk full, read-only folder) reject with a
 * `PawlError` that says what to do, and lose nothing acknowledged.
 */
export interface Store {
  /**
   * Appends all facts or none. The holder passes `driving`; without a claim only facts `by` a person are accepted, and without
   * `driving` at the next free place.
   */
  append(run: RunId, facts: readonly Fact[], driving?: DrivingAppend): Promise<AppendResult>
  /**
   * Takes in a journal from another store, hashes included, all of it or nothing. The run must have no events here: otherwise the result is
   * a conflict. Throws `journal.damaged` if the chain of hashes doesn't verify. Its texts are put first.
   */
  adopt(claim: Claim, events: readonly StoredEvent[]): Promise<AppendResult>
  /** Events after `after` (default 0), in order, upcast to the present version; the first `limit` of them, where given. */
  read(run: RunId, after?: Seq, limit?: number): Promise<readonly SealedEvent[]>
  /** The same events exactly as written, not upcast: the hashes cover these. */
  readStored(run: RunId, after?: Seq, limit?: number): Promise<readonly StoredEvent[]>
  /** Yields batches of new events after `after` until the signal is aborted. */
  watch(run: RunId, after: Seq, signal: AbortSignal): AsyncIterable<readonly SealedEvent[]>
  claim(run: RunId, holder: ProcessIdentity): Promise<ClaimResult>
  /** Confirms that the holder is alive. `false` if the claim has been taken over. */
  renew(claim: Claim): Promise<boolean>
  release(claim: Claim): Promise<void>
  /**
   * Who holds the run now; `undefined` if nobody does. A holder that is dead, or whose lease is over, holds nothing any more: only
   * `last` names it too, as long as nobody released the run or claimed it since. Writes nothing.
   */
  holder(run: RunId, which?: 'now' | 'last'): Promise<ProcessIdentity | undefined>
  /** Keeps a text once, by the hash of its redacted content; durable with the next append, or when the store is closed. */
  putText(text: Captured): Promise<TextRef>
  getText(ref: TextRef): Promise<string | undefined>
  /** Deletes a text, if it exists. The caller must know that nothing else refers to it. */
  dropText(ref: TextRef): Promise<void>
  /** A disposable cache of folded state; deleting it changes nothing. */
  putSnapshot(run: RunId, snapshot: Snapshot): Promise<void>
  getSnapshot(run: RunId): Promise<Snapshot | undefined>
  runs(): Promise<readonly RunEntry[]>
  /** Yields at once all runs that there are, then those that are new, changed or removed, until the signal is aborted. */
  watchRuns(signal: AbortSignal): AsyncIterable<readonly RunChange[]>
  /** Runs without a summary of this version that knows their last event. */
  staleRuns(version: number): Promise<readonly RunChange[]>
  /** Keeps summaries: caches, which a power cut may undo. A run that has no event keeps none. */
  putSummaries(summaries: readonly RunSummary[]): Promise<void>
  /** Finds runs by their summaries, stale ones too. */
  findRuns(query: RunQuery): Promise<RunPage>
  /** The runs that workers drive. */
  readonly queue: RunQueue
  /**
   * Deletes a run for good: its events, its claim, its place in the queue and its cached state. Only the holder may; `false` if the claim isn't the newest any
   * more. Other runs, and the texts, stay as they are.
   */
  remove(claim: Claim): Promise<boolean>
  /** What each run takes; texts that several runs refer to belong to none of them. */
  sizes(): Promise<StoreSizes>
  /**
   * Deletes the texts that no event refers to, and gives the space back to the system. Does nothing and returns `undefined` while
   * anybody holds a run, since its next event may refer to any text.
   */
  compact(): Promise<{ readonly bytesFreed: number } | undefined>
  close(): Promise<void>
}
