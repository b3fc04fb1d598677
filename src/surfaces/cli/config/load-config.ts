import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import type { PawlConfig } from './pawl-config.ts'

/** Reads a `pawl.yaml`; `undefined` when the file is not there. A file that is there but wrong is a `config.*` error that names each place. */
export async function loadConfig(path: string): Promise<PawlConfig | undefined> {
  const text = await textOf(path)
  if (text === undefined) return undefined
  // Only here: yaml and zod take longer to load than the rest of most commands.
  const { parseConfig } = await import('./parse-config.ts')
  return parseConfig(text, shortPath(path))
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const isText = code !== 'ERR_ENCODING_INVALID_ENCODED_DATA'
    const sentence = isText
      ? `${shortPath(path)} cannot be read: it must be a file that this user may read (${message}).`
      : `${shortPath(path)} is not UTF-8 text: save it as UTF-8.`
    throw new PawlError('config.unreadable', sentence, { value: path, cause: error })
  }
}

/** As a person would name it from here. */
function shortPath(path: string): string {
  const fromHere = relative(process.cwd(), path)
  return fromHere !== '' && fromHere.length < path.length ? fromHere : path
}
