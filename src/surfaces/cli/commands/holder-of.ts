import type { Store } from '../../../stores/store.ts'
import { isProcessAlive } from '../../../process/process-identity.ts'
import type { HolderView } from '../../../present/run-view.ts'

/** The process that drives a run now, and whether it can be seen from this machine; `undefined` if nobody drives it. */
export async function holderOf(store: Store, run: string): Promise<HolderView | undefined> {
  const holder = await store.holder(run)
  return holder && { ...holder, isSeen: isProcessAlive(holder) === true }
}
