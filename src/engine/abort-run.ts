import { PawlError } from '../core/pawl-error.ts'
import type { Clock } from '../process/clock.ts'
import type { Processes } from '../process/processes.ts'
import type { ClaimResult, Store } from '../stores/store.ts'
import { endOpenEffects } from './end-orphans.ts'
import { knownState, say } from './person-facts.ts'

export interface AbortParts {
  readonly store: Store
  readonly clock: Clock
  readonly processes: Processes
}

/**
 * Ends a run for good. A process that drives it notices within moments and stops its agent; agents and checks whose driver is gone are
 * ended here. Throws `run.over` where there is nothing to end.
 */
export async function abortRun(
  { store, clock, processes }: AbortParts,
  run: string,
  reason = 'Aborted by a person.',
): Promise<void> {
  const state = await knownState(store, run)
  if (state.status === 'completed' || state.status === 'aborted')
    throw new PawlError('run.over', `Run ${run} is ${state.status} already.`)
  const claimed = await store.claim(run, processes.self())
  try {
    const at = clock.now()
    const data = { reason, ...drivenUntil(claimed, at) }
    await say(store, run, [{ type: 'run.aborted', at, by: { role: 'person' }, data }])
    if (claimed.status === 'claimed') await endOpenEffects(processes, await knownState(store, run))
  } finally {
    if (claimed.status === 'claimed') await store.release(claimed.claim)
  }
}

/** Who drives it has worked until now; who did and is gone, until it was last seen. */
function drivenUntil(claimed: ClaimResult, now: number): { readonly drivenUntil?: number } {
  const until = claimed.status === 'held' ? now : claimed.lastSeenAt
  return until === undefined ? {} : { drivenUntil: until }
}
