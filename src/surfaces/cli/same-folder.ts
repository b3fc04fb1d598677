import type { RunConfig } from '../../core/run-config.ts'
import type { Store } from '../../ports/store.ts'
import { loadState } from '../../runner/load-state.ts'
import { holderOf } from './commands/holder-of.ts'

/** Another run that a living process drives in the same folder: the two would undo each other's work. A worktree of its own is no such thing. */
export async function otherRunInFolder(store: Store, run: string, { workspace }: RunConfig): Promise<string | undefined> {
  if (workspace.settings['worktree'] === true) return undefined
  for (const entry of await store.runs()) {
    if (entry.run === run || (await holderOf(store, entry.run)) === undefined) continue
    const other = (await loadState(store, entry.run))?.config.workspace.settings
    if (other?.['path'] === workspace.settings['path'] && other?.['worktree'] !== true) return entry.run
  }
  return undefined
}
