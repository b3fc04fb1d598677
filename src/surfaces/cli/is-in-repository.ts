import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Whether a folder lies in a git repository. */
export function isInRepository(path: string): boolean {
  return existsSync(join(path, '.git')) || (dirname(path) !== path && isInRepository(dirname(path)))
}
