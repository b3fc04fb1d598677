import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Where a project is and keeps its runs. */
export interface Project {
  readonly root: string
  readonly storePath: string
}

/** The nearest folder upwards with a `pawl.yaml` or a store, else the top of the git repository, else `from` itself. */
export function findProject(from: string): Project {
  const folders = [...upwards(resolve(from))]
  const own = folders.find((folder) => existsSync(join(folder, 'pawl.yaml')) || existsSync(join(folder, '.pawl', 'pawl.db')))
  const root = own ?? folders.find((folder) => existsSync(join(folder, '.git'))) ?? resolve(from)
  return { root, storePath: join(root, '.pawl', 'pawl.db') }
}

function* upwards(from: string): Generator<string> {
  yield from
  const parent = dirname(from)
  if (parent !== from) yield* upwards(parent)
}
