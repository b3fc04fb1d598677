import { builtInFolds } from '../../loops/evolve.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { RunConfig } from '../../core/run-config.ts'
import { checkedRunId } from '../../core/run-id.ts'
import type { State } from '../../core/state.ts'
import { redactJson } from '../../secrets/filter.ts'
import type { Store } from '../../stores/store.ts'
import { loadState } from '../../engine/session.ts'
import { nameFromGoal } from '../../settings/name-from-goal.ts'

/** A name for a new run, from its goal without secrets, with a number behind it when that name is taken. */
export async function freeRunId(store: Store, name: string): Promise<string> {
  return nameFromGoal(await redactJson(name), new Set((await store.runs()).map((entry) => entry.run)))
}

/**
 * Where the run of an id stands that is to go on; `undefined` where there is none. Throws where it is over, with how to `look` at it, or is
 * a run of another loop. By default one looks with `pawl show`.
 */
export async function knownRun(
  store: Store,
  id: string,
  { loop }: RunConfig,
  look = `look at it with \`pawl show ${id}\``,
): Promise<State | undefined> {
  const run = checkedRunId(id)
  const state = await loadState(store, run, builtInFolds)
  if (!state) return undefined
  if (state.config.loop.name !== loop.name)
    throw new PawlError('usage.other-loop', `Run ${run} is a run of the ${state.config.loop.name} loop: choose another --id.`)
  if (state.status === 'completed' || state.status === 'aborted')
    throw new PawlError('usage.run-over', `Run ${run} is ${state.status} already: choose another --id, or ${look}.`)
  return state
}
