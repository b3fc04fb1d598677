import { lstat } from 'node:fs/promises'

/** Whether something stands at this path; a place that cannot be looked at is an error and not an absence. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(absent)) !== undefined
}

/** For `.catch`: a missing file is `undefined`, everything else is thrown on. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
