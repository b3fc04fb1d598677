import type { ProcessIdentity } from '../core/event-data.ts'
import type { RunConfig } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import type { Store } from '../stores/store.ts'
import { loadState } from './load-state.ts'

export interface RunInFolderOptions {
  readonly store: Store
  readonly isAlive: (holder: ProcessIdentity) => boolean | 'unknown'
  /** Whether a run that a living process holds is in the way. Default: every one is. */
  readonly isDriven?: (state: State) => boolean
}

/** Another run that a living process drives in the same folder: the two would undo each other's work. A worktree of its own is no such thing. */
export async function runInFolder(
  { store, isAlive, isDriven = () => true }: RunInFolderOptions,
  run: string,
  { workspace }: RunConfig,
): Promise<string | undefined> {
  if (workspace.settings['worktree'] === true) return undefined
  for (const entry of await store.runs()) {
    const holder = entry.run === run ? undefined : await holderIn(store, entry.run)
    if (!holder || isAlive(holder) === false) continue
    const state = await loadState(store, entry.run)
    const other = state?.config.workspace.settings
    const isThere = other?.['path'] === workspace.settings['path'] && other?.['worktree'] !== true
    if (state && isThere && isDriven(state)) return entry.run
  }
  return undefined
}

/**
 * Who holds a run, dead or alive. Only looks: no claim ever had epoch 0, so an append of nothing under it is always refused, and the
 * refusal names the holder.
 */
export async function holderIn(store: Store, run: string): Promise<ProcessIdentity | undefined> {
  const answer = await store.append(run, [], { claim: { run, epoch: 0 }, expectedSeq: 0 })
  return answer.status === 'fenced' ? answer.holder : undefined
}
