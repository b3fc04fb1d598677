import type { Folds } from '../core/definition.ts'
import { evolveAllWith } from '../core/evolve.ts'
import type { Json } from '../core/json.ts'
import { STATE_VERSION, type State } from '../core/state.ts'
import { keepVisible } from '../secrets/known-values.ts'
import type { Store } from '../stores/store.ts'

/**
 * The state of a run as its journal says; `undefined` where there is no such run. `folds` finds the fold of the run's loop; without it
 * the state may have no slices, which is enough for whoever asks nothing of the loop.
 */
export async function loadState(store: Store, run: string, folds: Folds = noFolds): Promise<State | undefined> {
  const state = await readState(store, run, folds)
  // Whoever writes to a run looks here first, and snapshots are called after it. The name of no run may be any word, a secret too.
  if (state) keepVisible(run)
  return state
}

/** From the cached snapshot where that still fits, else from the beginning. */
async function readState(store: Store, run: string, folds: Folds): Promise<State | undefined> {
  const snapshot = await store.getSnapshot(run)
  if (snapshot && !snapshot.isDamaged && snapshot.version === STATE_VERSION) {
    const [last, ...newer] = await store.read(run, snapshot.seq - 1)
    const isSame = last?.seq === snapshot.seq && last.hash === snapshot.hash
    const state = snapshot.state as unknown as State
    // One that was folded without the loop says too little for whoever has it.
    const isWhole = state.slices !== undefined || folds(state.config.loop) === undefined
    if (isSame && isWhole) return evolveAllWith(folds, state, newer)
  }
  return evolveAllWith(folds, undefined, await store.read(run))
}

const noFolds: Folds = () => undefined

/** Takes in what others have appended since. */
export async function catchUp(store: Store, run: string, state: State | undefined, folds: Folds): Promise<State | undefined> {
  return evolveAllWith(folds, state, await store.read(run, state?.seq ?? 0))
}

/** Caches the state so that the next process starts quickly. */
export async function cacheState(store: Store, state: State, hash: string): Promise<void> {
  await store.putSnapshot(state.run, { seq: state.seq, hash, version: STATE_VERSION, state: state as unknown as Json })
}
