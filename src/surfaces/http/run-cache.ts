import { setImmediate as breathe } from 'node:timers/promises'
import type { RunId } from '../../core/event.ts'
import { knownState } from '../../engine/person-facts.ts'
import { DetailFold } from '../../present/run-detail.ts'
import type { Store } from '../../stores/store.ts'

const RUNS_KEPT_MAX = 16

/** How many events are folded before other requests get a turn. */
const EVENTS_AT_ONCE = 2000

/** The runs that were looked at last, folded as far as they were read: opening one again reads only what is new. */
export class RunCache {
  readonly #store: Store
  readonly #folds = new Map<RunId, { fold: DetailFold; loading: Promise<unknown> }>()

  constructor(store: Store) {
    this.#store = store
  }

  /** The run up to its last event. Throws `run.unknown` if there is no such run. */
  async load(run: RunId): Promise<DetailFold> {
    const entry = this.#folds.get(run) ?? { fold: new DetailFold(), loading: Promise.resolve() }
    this.#folds.delete(run)
    this.#folds.set(run, entry)
    const [oldest] = this.#folds.keys()
    if (this.#folds.size > RUNS_KEPT_MAX && oldest !== undefined) this.#folds.delete(oldest)
    // One after another: two readers must not take the same event in twice.
    entry.loading = entry.loading.then(() => this.#catchUp(run, entry.fold))
    try {
      await entry.loading
    } catch (error) {
      this.forget(run)
      throw error
    }
    if (entry.fold.seq === 0) {
      this.forget(run)
      await knownState(this.#store, run)
    }
    return entry.fold
  }

  forget(run: RunId): void {
    this.#folds.delete(run)
  }

  async #catchUp(run: RunId, fold: DetailFold): Promise<void> {
    for (;;) {
      const events = await this.#store.read(run, fold.seq, EVENTS_AT_ONCE)
      for (const event of events) fold.take(event)
      if (events.length < EVENTS_AT_ONCE) return
      await breathe()
    }
  }
}
