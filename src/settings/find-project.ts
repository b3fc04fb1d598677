import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isRepository } from './in-repository.ts'

/** Where a project keeps its things. */
export interface Project {
  readonly root: string
  readonly configPath: string
  readonly storePath: string
}

/** The nearest folder upwards with a `pawl.yaml` or a `.pawl` store, else the top of the git repository, else `from` itself. */
export function findProject(from: string): Project {
  const folders = [...upwards(resolve(from))]
  const own = folders.find((folder) => existsSync(join(folder, 'pawl.yaml')) || existsSync(join(folder, '.pawl', 'pawl.db')))
  const root = own ?? folders.find(isRepository) ?? resolve(from)
  return { root, configPath: join(root, 'pawl.yaml'), storePath: join(root, '.pawl', 'pawl.db') }
}

/**
 * The store that a session in a folder belongs to: that of its project, and if the project has none yet the nearest one above, since a
 * session may have gone into a folder with a `pawl.yaml` of its own. `undefined` if no run was ever kept.
 */
export function findStore(from: string): string | undefined {
  return [...upwards(resolve(from))].map((folder) => join(folder, '.pawl', 'pawl.db')).find((path) => existsSync(path))
}

function* upwards(from: string): Generator<string> {
  yield from
  const parent = dirname(from)
  if (parent !== from) yield* upwards(parent)
}
