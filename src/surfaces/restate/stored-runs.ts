import { PawlError } from '../../core/pawl-error.ts'
import { drive } from '../../engine/drive.ts'
import { answerRun } from '../../engine/person-facts.ts'
import { requireFolderFree } from '../../engine/run-in-folder.ts'
import { loadState } from '../../engine/session.ts'
import { withHistory } from '../../evidence/own-history.ts'
import { builtInFolds } from '../../loops/evolve.ts'
import { systemClock } from '../../process/clock.ts'
import { partsFrom } from '../../registry/parts-from.ts'
import { placedConfig } from '../../registry/placed-workspace.ts'
import { ceilingsOf } from '../../settings/ceilings.ts'
import type { Store } from '../../stores/store.ts'
import type { DrivenRun } from './restate-runs.ts'

/** The run of a project's store, made of the parts that its journal names. */
export async function storedRun(store: Store, storePath: string, run: string): Promise<DrivenRun> {
  const state = await loadState(store, run, builtInFolds)
  if (!state) throw new PawlError('run.unknown', `There is no run "${run}": pawl ls lists them.`, { value: run })
  const config = placedConfig(state.given, storePath)
  const parts = await partsFrom(await withHistory(config, state, store, storePath), {
    store,
    storePath,
    ceilings: ceilingsOf(storePath),
  })
  return {
    run: (_, options) => drive(parts, run, { ...options, onTakenUp: () => requireFolderFree(store, run, config) }),
    answer: (_, answer) => answerRun(store, systemClock, run, answer),
  }
}
