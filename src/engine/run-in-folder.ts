import { PawlError } from '../core/pawl-error.ts'
import type { RunConfig } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import type { Store } from '../stores/store.ts'
import { loadState } from './session.ts'

export interface RunInFolderOptions {
  readonly store: Store
  /** Whether a run that a living process holds is in the way. Default: every one is. */
  readonly isDriven?: (state: State) => boolean
}

/** Another run that a living process drives in the same folder: the two would undo each other's work. A run in its own worktree doesn't count. */
export async function runInFolder(
  { store, isDriven = () => true }: RunInFolderOptions,
  run: string,
  { workspace }: RunConfig,
): Promise<string | undefined> {
  if (workspace.settings['worktree'] === true) return undefined
  for (const entry of await store.runs()) {
    if (entry.run === run || (await store.holder(entry.run)) === undefined) continue
    const state = await loadState(store, entry.run)
    const other = state?.config.workspace.settings
    const isThere = other?.['path'] === workspace.settings['path'] && other?.['worktree'] !== true
    if (state && isThere && isDriven(state)) return entry.run
  }
  return undefined
}

/** Throws `run.same-folder` if another run is driven in the same folder. */
export async function requireFolderFree(
  store: Store,
  run: string,
  config: RunConfig,
  wayOut = 'wait for it, or start this one with --worktree',
): Promise<void> {
  const other = await runInFolder({ store }, run, config)
  if (other === undefined) return
  throw new PawlError(
    'run.same-folder',
    `Run ${other} is being driven in this folder, and two runs would undo each other's work: ${wayOut}.`,
  )
}
