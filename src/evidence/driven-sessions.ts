import { builtInFolds } from '../loops/evolve.ts'
import type { Event } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import { importedFrom } from './transcripts/imported-config.ts'
import type { Store } from '../stores/store.ts'
import { loadState } from '../engine/load-state.ts'

/**
 * The sessions of agents that runs of the store had, each with its run: those that Pawl drove, and those that a run was bound to. What
 * was imported is not among them. A run whose journal cannot be read says nothing here.
 */
export async function drivenSessions(store: Store): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { run } of await store.runs()) for (const session of await sessionsOf(store, run)) found.set(session, run)
  return found
}

async function sessionsOf(store: Store, run: string): Promise<readonly string[]> {
  try {
    // An imported run may have ten thousand turns: whether it is one, its cached state says.
    const state = await loadState(store, run, builtInFolds)
    if (!state || importedFrom(state.config)) return []
    return (await store.read(run)).flatMap((event) => sessionIn(event) ?? [])
  } catch (error) {
    if (!(error instanceof PawlError) || !/^(journal|store\.corrupt)/.test(error.code)) throw error
    return []
  }
}

function sessionIn(event: Event): string | undefined {
  switch (event.type) {
    case 'work.finished':
    case 'work.failed':
    case 'work.asked':
    case 'work.abandoned':
    case 'run.bound':
      return event.data.session
    default:
      return undefined
  }
}
