import { readFile, stat, writeFile } from 'node:fs/promises'
import { PawlError } from '../core/pawl-error.ts'

/** What became of the file. */
export type ConfigWriting =
  | { readonly status: 'written'; /** Where the old file is kept. */ readonly backup?: string }
  /** It says the same already. */
  | { readonly status: 'unchanged' }
  /** Another file is there, and nobody said it may be replaced. */
  | { readonly status: 'kept' }

/** Writes a new file. One that is there is replaced only with `force`, and then kept beside it under a name that was free. */
export async function writeConfig(path: string, text: string, force: boolean): Promise<ConfigWriting> {
  try {
    if (await writeNew(path, text)) return { status: 'written' }
    const old = await readFile(path)
    if (old.equals(Buffer.from(text))) return { status: 'unchanged' }
    if (!force) return { status: 'kept' }
    const backup = await keep(path, old)
    await writeFile(path, text)
    return { status: 'written', backup }
  } catch (error) {
    if (error instanceof PawlError) throw error
    const sentence = `${path} could not be written: it must be a file in a folder where this user may write (${(error as Error).message}).`
    throw new PawlError('init.not-written', sentence, { value: path, cause: error })
  }
}

const BACKUPS_MAX = 100

async function keep(path: string, old: Buffer): Promise<string> {
  const { mode } = await stat(path)
  for (let number = 1; number <= BACKUPS_MAX; number++) {
    const backup = number === 1 ? `${path}.bak` : `${path}.bak${number}`
    if ((await writeNew(backup, old, mode)) || (await readFile(backup)).equals(old)) return backup
  }
  throw new PawlError(
    'init.not-written',
    `${path} was not replaced, because ${BACKUPS_MAX} older ones are kept beside it: remove some of ${path}.bak*.`,
  )
}

/** `false` when something of that name is there already. */
async function writeNew(path: string, content: string | Buffer, mode = 0o666): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
