import { evolveAll } from '../core/evolve.ts'
import type { Json } from '../core/json.ts'
import { STATE_VERSION, type State } from '../core/state.ts'
import { keepVisible } from '../secrets/known-values.ts'
import type { Store } from '../stores/store.ts'

/** The state of a run as its journal says; `undefined` where there is no such run. */
export async function loadState(store: Store, run: string): Promise<State | undefined> {
  const state = await readState(store, run)
  // Whoever writes to a run looks here first, and snapshots are called after it. The name of no run may be any word, a secret too.
  if (state) keepVisible(run)
  return state
}

/** From the cached snapshot where that still fits, else from the beginning. */
async function readState(store: Store, run: string): Promise<State | undefined> {
  const snapshot = await store.getSnapshot(run)
  if (snapshot && !snapshot.isDamaged && snapshot.version === STATE_VERSION) {
    const [last, ...newer] = await store.read(run, snapshot.seq - 1)
    const isSame = last?.seq === snapshot.seq && last.hash === snapshot.hash
    if (isSame) return evolveAll(snapshot.state as unknown as State, newer)
  }
  return evolveAll(undefined, await store.read(run))
}

/** Takes in what others have appended since. */
export async function catchUp(store: Store, run: string, state: State | undefined): Promise<State | undefined> {
  return evolveAll(state, await store.read(run, state?.seq ?? 0))
}

/** Caches the state so that the next process starts quickly. */
export async function cacheState(store: Store, state: State, hash: string): Promise<void> {
  await store.putSnapshot(state.run, { seq: state.seq, hash, version: STATE_VERSION, state: state as unknown as Json })
}
