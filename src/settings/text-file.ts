import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'

/** The text of a file; `undefined` when it is not there. Throws `config.unreadable` for one that cannot be read or is no UTF-8. */
export async function textFile(path: string): Promise<string | undefined> {
  try {
    return utf8Text(await readFile(path), shortPath(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (error instanceof PawlError) throw error
    if (code === 'ENOENT') return undefined
    const sentence = `${shortPath(path)} cannot be read: it must be a file that this user may read (${message}).`
    throw new PawlError('config.unreadable', sentence, { value: path, cause: error })
  }
}

/** Bytes as text. Throws `config.unreadable` if they are no UTF-8; `name` says whose they are. */
export function utf8Text(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new PawlError('config.unreadable', `${name} is not UTF-8 text: save it as UTF-8.`, { value: name, cause: error })
  }
}

/** As a person would name it from here. */
export function shortPath(path: string): string {
  const fromHere = relative(process.cwd(), path)
  return fromHere !== '' && fromHere.length < path.length ? fromHere : path
}
