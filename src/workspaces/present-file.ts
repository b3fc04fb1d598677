import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { absent } from './is-there.ts'

/** A file's content as it is now; `undefined` where there is none, or something else of that name. */
export async function presentFile(folder: string, path: string): Promise<Buffer | undefined> {
  const found = await lstat(join(folder, path)).catch(absent)
  return found?.isFile() ? readFile(join(folder, path)) : undefined
}

/** Refuses a path that does not lie in the folder, or that git could not be told in one line. */
export function requireInnerPath(path: string): string {
  const isInner = path !== '' && !path.startsWith('/') && !path.includes('\n') && !path.split('/').includes('..')
  if (isInner) return path
  throw new PawlError('workspace.path-invalid', `"${path}" is no file of this folder: name one by its path from the folder.`, {
    value: path,
  })
}
