import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withParents } from './with-parents.ts'

/**
 * The names of the scripts in the nearest package.json, in the folder or above it; `undefined` where there is none. One that cannot
 * be read, or is no JSON map, tells nothing of its scripts: `unreadable`, for then nobody can say that a script is missing.
 */
export async function packageScripts(folder: string): Promise<readonly string[] | 'unreadable' | undefined> {
  for (const place of withParents(folder)) {
    const text = await readFile(join(place, 'package.json'), 'utf8').catch((error: unknown) => error as NodeJS.ErrnoException)
    if (typeof text === 'string') return scriptsIn(text)
    if (text.code !== 'ENOENT' && text.code !== 'ENOTDIR') return 'unreadable'
  }
  return undefined
}

function scriptsIn(text: string): readonly string[] | 'unreadable' {
  try {
    const manifest: unknown = JSON.parse(text)
    if (typeof manifest !== 'object' || manifest === null) return 'unreadable'
    const { scripts } = manifest as { readonly scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []
  } catch {
    // What the package manager says of it is told as it stands.
    return 'unreadable'
  }
}
