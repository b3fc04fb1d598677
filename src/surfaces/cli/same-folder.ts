import { PawlError } from '../../core/pawl-error.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { Store } from '../../stores/store.ts'
import { runInFolder } from '../../engine/run-in-folder.ts'

/** Refuses a folder in which another run is driven. */
export async function requireFolderFree(
  store: Store,
  run: string,
  config: RunConfig,
  wayOut = 'wait for it, or start this one with --worktree',
): Promise<void> {
  const other = await otherRunInFolder(store, run, config)
  if (other === undefined) return
  throw new PawlError(
    'run.same-folder',
    `Run ${other} is being driven in this folder, and two runs would undo each other's work: ${wayOut}.`,
  )
}

/** Another run that a living process of this machine drives in the same folder. */
export async function otherRunInFolder(store: Store, run: string, config: RunConfig): Promise<string | undefined> {
  return runInFolder({ store }, run, config)
}
