import { PawlError } from '../core/pawl-error.ts'
import type { Clock } from '../process/clock.ts'
import type { Processes } from '../process/processes.ts'
import type { Store } from '../stores/store.ts'
import { endOpenEffects } from './end-orphans.ts'
import { knownState } from './person-facts.ts'
import { openSession, recordByPerson } from './session.ts'

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
  const session = await openSession({ store, processes }, run)
  try {
    const at = clock.now()
    // Who drives it has worked until now; who did and is gone, until it was last seen.
    const drivenUntil = session.status === 'held' ? at : session.lastSeenAt
    const data = { reason, ...(drivenUntil === undefined ? {} : { drivenUntil }) }
    await recordByPerson(store, run, [{ type: 'run.aborted', at, by: { role: 'person' }, data }])
    if (session.status === 'open') await endOpenEffects(processes, (await session.catchUp()) ?? state)
  } finally {
    if (session.status === 'open') await session.close()
  }
}
