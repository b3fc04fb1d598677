import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import type { PartSpec } from '../core/run-config.ts'

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
