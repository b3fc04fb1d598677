import type { Store } from '../../../stores/store.ts'
import { isProcessAlive } from '../../../process/process-identity.ts'
import { holderIn } from '../../../engine/run-in-folder.ts'
import type { HolderView } from '../../../present/run-view.ts'

/** The process that drives a run now; `undefined` when nobody does or its last driver is dead. */
export async function holderOf(store: Store, run: string): Promise<HolderView | undefined> {
  const holder = await holderIn(store, run)
  const isAlive = holder && isProcessAlive(holder)
  return holder && isAlive ? { ...holder, isSeen: isAlive === true } : undefined
}
