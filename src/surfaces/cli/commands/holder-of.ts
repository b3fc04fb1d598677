import type { Store } from '../../../ports/store.ts'
import { isProcessAlive } from '../../../process/process-identity.ts'
import type { HolderView } from '../views/run-view.ts'

/**
 * The process that drives a run now; `undefined` when nobody does or its last driver is dead. Only looks: no claim ever had epoch
 * 0, so an append of nothing under it is always refused, and the refusal names the holder.
 */
export async function holderOf(store: Store, run: string): Promise<HolderView | undefined> {
  const answer = await store.append(run, [], { claim: { run, epoch: 0 }, expectedSeq: 0 })
  const holder = answer.status === 'fenced' ? answer.holder : undefined
  const isAlive = holder && isProcessAlive(holder)
  return holder && isAlive ? { ...holder, isSeen: isAlive === true } : undefined
}
