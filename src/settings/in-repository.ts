import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'

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
