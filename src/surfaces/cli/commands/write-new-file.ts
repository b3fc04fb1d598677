import { existsSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'

/** Writes lines to a file that must not be there yet, unless `isForced`. A file that could not be written whole is not left behind. */
export async function writeNewFile(path: string, lines: Iterable<string>, isForced: boolean): Promise<void> {
  const file = await opened(path, isForced)
  try {
    await file.writeFile(ended(lines))
    await file.sync()
  } catch (cause) {
    await file.close()
    if (!isForced) await rm(path, { force: true })
    throw new PawlError('export.write', `${path} could not be written: ${(cause as Error).message}`, { value: path, cause })
  }
  await file.close()
}

/** Refuses a file that `writeNewFile` would refuse, before the work that it is for is done. */
export function requireNewFile(path: string, isForced: boolean): void {
  if (!isForced && existsSync(path)) throw isThere(path)
  if (!existsSync(dirname(path))) throw hasNoFolder(path)
}

async function opened(path: string, isForced: boolean): Promise<FileHandle> {
  try {
    return await open(path, isForced ? 'w' : 'wx')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST') throw isThere(path, cause)
    if (code === 'ENOENT') throw hasNoFolder(path, cause)
    throw new PawlError('export.write', `${path} could not be written: ${message}`, { value: path, cause })
  }
}

function isThere(path: string, cause?: unknown): PawlError {
  return new PawlError('usage.file-exists', `${path} is there already: choose another name, or write over it with --force.`, {
    value: path,
    cause,
  })
}

function hasNoFolder(path: string, cause?: unknown): PawlError {
  return new PawlError('usage.no-folder', `${path} cannot be made: its folder is not there.`, { value: path, cause })
}

function* ended(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`
}
