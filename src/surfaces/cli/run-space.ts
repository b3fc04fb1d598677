import { resolve } from 'node:path'
import { isDamage } from '../../core/pawl-error.ts'
import type { PartSpec } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { loadState } from '../../engine/session.ts'
import { builtInFolds } from '../../loops/evolve.ts'
import { snapshotSpace, type SnapshotSpace } from '../../registry/workspace-tools.ts'
import { workspaceSpec } from '../../settings/find-project.ts'
import type { Store } from '../../stores/store.ts'
import type { CliContext } from './cli-context.ts'

/** A run's state; `undefined` for a damaged journal, which can be measured and removed all the same. */
export async function readableState(store: Store, run: string): Promise<State | undefined> {
  return loadState(store, run, builtInFolds).catch((error: unknown) => {
    if (!isDamage(error)) throw error
    return undefined
  })
}

/** Runs by the place of their snapshots. */
export async function snapshotPlaces(
  { project }: CliContext,
  store: Store,
  runs: readonly string[],
): Promise<readonly { readonly space: SnapshotSpace; readonly runs: readonly string[] }[]> {
  const places = new Map<string, { spec: PartSpec; runs: string[] }>()
  for (const run of runs) {
    const given = (await readableState(store, run))?.config.workspace ?? workspaceSpec(project.root)
    const path = resolve(project.root, String(given.settings['path'] ?? '.'))
    const place = places.get(path) ?? { spec: { ...given, settings: { ...given.settings, path } }, runs: [] }
    place.runs.push(run)
    places.set(path, place)
  }
  return [...places.values()].map(({ spec, runs: own }) => ({ space: snapshotSpace(spec), runs: own }))
}
