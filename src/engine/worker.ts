import { setTimeout as sleep } from 'node:timers/promises'
import { EVENT_VERSION } from '../core/event.ts'
import { isOver } from '../core/outcome.ts'
import type { State } from '../core/state.ts'
import type { Folds } from '../core/definition.ts'
import type { Clock } from '../process/clock.ts'
import type { Processes } from '../process/processes.ts'
import type { QueuedRun, Store, TakenRun } from '../stores/store.ts'
import { drive, type DriveResult } from './drive.ts'
import type { DriveOptions, Parts } from './parts.ts'
import { loadState } from './session.ts'

/** What a worker works with. */
export interface WorkerParts {
  readonly store: Store
  readonly processes: Processes
  readonly clock: Clock
  readonly folds: Folds
  /** Builds the parts of a run, by its configuration, on this machine. */
  readonly partsOf: (run: string, state: State) => Promise<Parts>
}

export interface WorkerOptions {
  /** How many runs it drives at once. */
  readonly slots: number
  /** Runs that need others are left to other workers. */
  readonly labels: readonly string[]
  /** Ends when no run is due and none is driven. Default false: waits for runs until the signal is aborted. */
  readonly isOnce?: boolean
  /** Aborting it ends the work under way and puts the runs back. */
  readonly signal: AbortSignal
  /** The newest version of events it reads. Default: this Pawl's. */
  readonly eventVersion?: number
  /** How often it looks for due runs while a slot is free. Default 500 ms. */
  readonly pollMs?: number
  /** Called when a run is taken up, once that is on record. */
  readonly onTakenUp?: (run: string, parts: Parts) => Promise<void>
  /** Options of each drive. */
  readonly driving?: (run: string) => Pick<DriveOptions, 'onEvent' | 'onProgress' | 'pollMs'>
  readonly tell?: (news: WorkerNews) => void
}

/** What a worker has to say. */
export type WorkerNews =
  | { readonly kind: 'took'; readonly entry: QueuedRun; readonly isTakenOver: boolean }
  /** `result` is absent if driving failed. */
  | { readonly kind: 'left'; readonly run: string; readonly result?: DriveResult; readonly error?: unknown; readonly rest: Rest }
  /** A run that only a newer Pawl can drive: it stays in the queue. */
  | { readonly kind: 'refused'; readonly entry: QueuedRun }
  /** The queue can't be reached; the worker tries again. */
  | { readonly kind: 'cut-off'; readonly error: unknown }

/** What becomes of a run in the queue. */
export type Rest = { readonly kind: 'over' } | { readonly kind: 'waits' } | { readonly kind: 'due'; readonly at: number }

/**
 * Takes due runs from the queue and drives them, a few at a time, until somebody stops it. It keeps nothing that can't be made again: if it
 * is killed, its claims end and other workers take its runs. Rejects only if the queue can't be reached at the start.
 */
export async function work(parts: WorkerParts, options: WorkerOptions): Promise<void> {
  const { slots, labels, isOnce = false, signal, eventVersion = EVENT_VERSION, pollMs = POLL_MS, tell } = options
  const { store, processes } = parts
  const underWay = new Set<Promise<void>>()
  const refused = new Set<string>()
  let hasReached = false
  let failures = 0
  let lookedAt = -Infinity

  const refuseNewer = async (): Promise<void> => {
    if (performance.now() - lookedAt < NEWER_LOOK_MS) return
    lookedAt = performance.now()
    for (const entry of await store.queue.list()) {
      const isMine = entry.labels.every((label) => labels.includes(label))
      if (!isMine || entry.eventVersion <= eventVersion || refused.has(entry.run)) continue
      refused.add(entry.run)
      tell?.({ kind: 'refused', entry })
    }
  }

  const takeNext = async (): Promise<TakenRun | undefined> => {
    try {
      const taken = await store.queue.take({ holder: processes.self(), labels, eventVersion })
      if (!taken) await refuseNewer()
      hasReached = true
      failures = 0
      return taken
    } catch (error) {
      if (!hasReached) throw error
      if (failures++ === 0) tell?.({ kind: 'cut-off', error })
      return undefined
    }
  }

  try {
    while (!signal.aborted) {
      const taken = underWay.size < slots ? await takeNext() : undefined
      if (taken) {
        const driving = driveTaken(parts, options, taken).finally(() => underWay.delete(driving))
        underWay.add(driving)
        continue
      }
      if (isOnce && failures === 0 && underWay.size === 0) return
      const isFull = underWay.size >= slots
      await untilNews(underWay, signal, isFull ? undefined : Math.min(pollMs * 2 ** failures, POLL_MS_MAX))
    }
  } finally {
    await Promise.all(underWay)
  }
}

const POLL_MS = 500
const POLL_MS_MAX = 15_000
const NEWER_LOOK_MS = 10_000

/** Until a run was left, the worker is to stop, or the pause is over. Workers that began together don't ask together for ever. */
async function untilNews(underWay: ReadonlySet<Promise<void>>, signal: AbortSignal, pauseMs: number | undefined): Promise<void> {
  const end = new AbortController()
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { signal: end.signal }))
  const paused = pauseMs === undefined ? [] : [sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal: end.signal })]
  try {
    await Promise.race([...underWay, stopped, ...paused])
  } finally {
    end.abort()
    await Promise.allSettled(paused)
  }
}

/** Drives one run and puts it back, or takes it out of the queue. It reports what goes wrong and never throws: other runs continue. */
async function driveTaken(parts: WorkerParts, options: WorkerOptions, taken: TakenRun): Promise<void> {
  const { store, clock, folds } = parts
  const { signal, tell } = options
  const { claim, entry } = taken
  const { run } = claim
  tell?.({ kind: 'took', entry, isTakenOver: taken.takenOverFrom !== undefined })
  let rest: Rest = { kind: 'due', at: clock.now() + RETRY_MS }
  const giveBack = async (state: State | undefined): Promise<void> => {
    rest = restOf(state, clock.now(), signal.aborted)
    if (rest.kind === 'over') await store.queue.remove(claim)
    else
      await store.queue.putBack(claim, {
        seq: state?.seq ?? SEQ_MAX,
        ...(rest.kind === 'due' ? { dueAt: rest.at } : {}),
      })
  }
  let isDriven = false
  try {
    const state = await loadState(store, run, folds)
    if (!state) return void (await store.queue.remove(claim))
    const made = await parts.partsOf(run, state)
    isDriven = true
    const result = await drive(made, run, {
      ...options.driving?.(run),
      signal,
      leavesTimers: true,
      taken: { claimed: taken, giveBack },
      onTakenUp: async () => options.onTakenUp?.(run, made),
    })
    tell?.({ kind: 'left', run, result, rest })
  } catch (error) {
    // If not even that works, the claim ends with its lease.
    if (!isDriven) await giveBack(undefined).catch(() => undefined)
    tell?.({ kind: 'left', run, error, rest })
  }
}

/** No journal is as long; a database keeps it in 32 bits. */
const SEQ_MAX = 2 ** 31 - 1

/** Long enough to fix what is wrong, or to find the machine's network again. */
const RETRY_MS = 60_000

function restOf(state: State | undefined, now: number, isStopping: boolean): Rest {
  if (!state) return { kind: 'due', at: now + RETRY_MS }
  if (isOver(state)) return { kind: 'over' }
  if (state.question && !state.answer) return { kind: 'waits' }
  if (state.timer) return { kind: 'due', at: state.timer.until }
  return { kind: 'due', at: state.status === 'paused' && !isStopping ? now + RETRY_MS : now }
}
