import { existsSync, lstatSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import type { PartSpec } from '../core/run-config.ts'

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

/** Git where there is a repository, else plain copies. */
export function workspaceSpec(path: string, worktree = false): PartSpec {
  const isGit = isInRepository(path)
  if (!isGit && worktree)
    throw new PawlError(
      'usage.no-repository',
      `--worktree needs a git repository, and ${path} is none: run \`git init\` first, or leave --worktree out.`,
    )
  return isGit ? { name: 'git', v: 1, settings: { path, worktree } } : { name: 'folder', v: 1, settings: { path } }
}

/** Whether a folder lies in a git repository. */
export function isInRepository(path: string): boolean {
  return isRepository(path) || (dirname(path) !== path && isInRepository(dirname(path)))
}

/** Whether a folder is the top of a git repository. An empty `.git` is none, as git says too: it has no `HEAD`. */
export function isRepository(folder: string): boolean {
  const found = lookAt(join(folder, '.git'))
  // A linked worktree has a file there, and some have a link to the folder.
  return found?.isFile() === true || (found !== undefined && lookAt(join(folder, '.git', 'HEAD')) !== undefined)
}

function lookAt(path: string) {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
