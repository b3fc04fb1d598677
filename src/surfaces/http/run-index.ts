import { setImmediate as breathe } from 'node:timers/promises'
import type { RunId, Seq } from '../../core/event.ts'
import type { Json } from '../../core/json.ts'
import { isDamage } from '../../core/pawl-error.ts'
import { STATE_VERSION, type State } from '../../core/state.ts'
import { loadState } from '../../engine/session.ts'
import { builtInFolds, evolveAll } from '../../loops/evolve.ts'
import { damagedListRow, heldRow, type RunListRow, runListRow, searchText } from '../../present/run-list.ts'
import type { RunPage, RunQuery, RunSummary, Store } from '../../stores/store.ts'

/** Version of the rows; those of another one are made again. A fold that changed may say something else. */
const ROW_VERSION = 1 + 100 * STATE_VERSION

/** How long a list waits for rows that have to be made before it answers with those that there are. */
const LIST_WAIT_MS = 800

/** How many rows are made before other requests get a turn. */
const ROWS_AT_ONCE = 25

const STATES_KEPT_MAX = 64

/** What a listener hears: the row of a run that changed; without one the run was removed. */
export type RowListener = (run: RunId, row: RunListRow | undefined) => void

/**
 * The list of runs, kept up to date by watching the store. Rows are made by this process, from the journals, and never by a driver: an
 * append costs what it cost before, whoever watches.
 */
export class RunIndex {
  readonly #store: Store
  readonly #ending = new AbortController()
  readonly #stale = new Map<RunId, Seq>()
  readonly #states = new Map<RunId, State>()
  readonly #listeners = new Set<RowListener>()
  readonly #runListeners = new Map<RunId, Set<() => void>>()
  #started: Promise<void> | undefined
  #watching: Promise<void> = Promise.resolve()
  #refreshing: Promise<void> | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** Begins to watch. Resolves once the runs that there are have been seen. */
  start(): Promise<void> {
    this.#started ??= new Promise((resolve, reject) => {
      this.#watching = this.#watch(resolve).catch((error: unknown) => {
        if (!this.#ending.signal.aborted) reject(error)
      })
    })
    return this.#started
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.#watching
    await this.#refreshing
  }

  /** Calls `listener` with every row that changes, until the returned function is called. */
  listen(listener: RowListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls `listener` whenever a run has new events. */
  listenTo(run: RunId, listener: () => void): () => void {
    const known = this.#runListeners.get(run) ?? new Set()
    this.#runListeners.set(run, known.add(listener))
    return () => {
      known.delete(listener)
      if (known.size === 0) this.#runListeners.delete(run)
    }
  }

  /** A page of runs; `unread` counts those whose row isn't made yet. */
  async find(
    query: RunQuery,
  ): Promise<Omit<RunPage, 'items'> & { readonly items: readonly RunListRow[]; readonly unread: number }> {
    await this.start()
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, LIST_WAIT_MS)
    await Promise.race([this.#refresh(), late])
    clearTimeout(timer)
    const { items, ...page } = await this.#store.findRuns(query)
    return { ...page, items: await Promise.all(items.map((item) => this.#now(item))), unread: this.#stale.size }
  }

  /** Every row, the latest first. */
  async all(): Promise<readonly RunListRow[]> {
    await this.start()
    await this.#refresh()
    const { items } = await this.#store.findRuns({ limit: Number.MAX_SAFE_INTEGER })
    return items.map(({ row }) => row as unknown as RunListRow)
  }

  /** Whether a process drives the run isn't in the journal. */
  async #now({ row: kept, run }: RunSummary): Promise<RunListRow> {
    const row = kept as unknown as RunListRow
    const isDrivable = row.status !== 'completed' && row.status !== 'aborted' && row.status !== 'damaged'
    return isDrivable && (await this.#store.holder(run)) !== undefined ? heldRow(row) : row
  }

  async #watch(onFirst: () => void): Promise<void> {
    let isFirst = true
    for await (const changes of this.#store.watchRuns(this.#ending.signal)) {
      if (isFirst) for (const { run, seq } of await this.#store.staleRuns(ROW_VERSION)) this.#stale.set(run, seq)
      else
        for (const { run, seq } of changes) {
          if (seq === 0) this.#forget(run)
          else this.#stale.set(run, seq)
          for (const listener of this.#runListeners.get(run) ?? []) listener()
        }
      if (isFirst) onFirst()
      isFirst = false
      if (this.#listeners.size > 0) void this.#refresh()
    }
  }

  #forget(run: RunId): void {
    this.#stale.delete(run)
    this.#states.delete(run)
    for (const listener of this.#listeners) listener(run, undefined)
  }

  /** Makes the rows of all runs that changed; one call at a time, and whoever calls meanwhile waits for the same one. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#makeRows().finally(() => (this.#refreshing = undefined))
    return this.#refreshing
  }

  async #makeRows(): Promise<void> {
    while (this.#stale.size > 0 && !this.#ending.signal.aborted) {
      const some = [...this.#stale.keys()].slice(0, ROWS_AT_ONCE)
      const made: RunListRow[] = []
      for (const run of some) {
        this.#stale.delete(run)
        const row = await this.#rowOf(run)
        if (row) made.push(row)
      }
      await this.#store.putSummaries(made.map(summaryOf))
      if (this.#listeners.size > 0)
        for (const row of made) {
          const now = await this.#now(summaryOf(row))
          for (const listener of this.#listeners) listener(row.run, now)
        }
      await breathe()
    }
  }

  async #rowOf(run: RunId): Promise<RunListRow | undefined> {
    const known = this.#states.get(run)
    try {
      const newer = known ? await this.#store.read(run, known.seq) : []
      const state = known ? evolveAll(known, newer) : await loadState(this.#store, run, builtInFolds)
      if (!state) return undefined
      const last = newer.at(-1) ?? (await this.#store.read(run, state.seq - 1, 1))[0]
      this.#remember(state)
      return runListRow(state, last?.at ?? state.at)
    } catch (error) {
      if (!isDamage(error)) throw error
      return damagedListRow(run, 0, error.message)
    }
  }

  /** States of runs that change are folded on; those that haven't changed for longest are forgotten. */
  #remember(state: State): void {
    this.#states.delete(state.run)
    if (state.status !== 'running' && state.status !== 'waiting') return
    this.#states.set(state.run, state)
    const [oldest] = this.#states.keys()
    if (this.#states.size > STATES_KEPT_MAX && oldest !== undefined) this.#states.delete(oldest)
  }
}

function summaryOf(row: RunListRow): RunSummary {
  const { run, seq, status, isImported, isWaiting, loop = '', agent = '', startedAt, updatedAt, iterations, costUsd } = row
  return {
    run,
    seq,
    version: ROW_VERSION,
    status: isImported ? 'imported' : status,
    isWaiting,
    loop,
    agent,
    text: searchText(row),
    startedAt,
    updatedAt,
    iterations,
    ...(costUsd === undefined ? {} : { costUsd }),
    row: row as unknown as Json,
  }
}
