import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { isAbsolute, join, posix, sep } from 'node:path'

/** A file's text, or why it can't be read, as the end of a sentence that starts with the path. */
export type ReadInside =
  | { readonly status: 'text'; readonly text: string; readonly bytes: Buffer }
  | { readonly status: 'refused'; readonly reason: string; readonly isBinary?: true }

/**
 * Reads a text file inside a folder and nothing outside it: no absolute path, no `..`, no link that leads out, no device, pipe
 * or folder, nothing in git's or Pawl's own folders, and nothing larger than `bytesMax`. `root` must be a real path.
 */
export function readInside(root: string, file: string, bytesMax: number): ReadInside {
  const path = insidePath(file)
  if (path === undefined) return refused('is not a path inside the folder')
  const place = realPlace(root, path)
  if (place.status === 'refused') return place
  try {
    // Don't wait for a pipe's writer, and don't follow a link created since the check.
    const descriptor = openSync(place.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      return readText(descriptor, bytesMax)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    return refused(troubleOf(error))
  }
}

/** A normalised path inside the folder; `undefined` for any other path. */
export function insidePath(file: string): string | undefined {
  if (file.length === 0 || file.length > PATH_LENGTH_MAX || file.includes('\0')) return undefined
  if (isAbsolute(file) || /^[A-Za-z]:|^\\\\/.test(file)) return undefined
  const path = posix.normalize(sep === '\\' ? file.replaceAll('\\', '/') : file)
  const steps = path.split('/')
  if (path === '.' || path.endsWith('/') || steps.includes('..')) return undefined
  return OWN_FOLDERS.has(steps[0] ?? '') || steps.includes('.git') ? undefined : path
}

/** git's folder and Pawl's, which aren't part of anyone's code. */
export const OWN_FOLDERS: ReadonlySet<string> = new Set(['.git', '.pawl'])

const PATH_LENGTH_MAX = 4096

function realPlace(root: string, path: string): { status: 'found'; path: string } | { status: 'refused'; reason: string } {
  try {
    const real = realpathSync(join(root, path))
    const prefix = root.endsWith(sep) ? root : root + sep
    if (!real.startsWith(prefix)) return refused('leads out of the folder')
    return insidePath(real.slice(prefix.length)) === undefined
      ? refused('is not a path inside the folder')
      : { status: 'found', path: real }
  } catch (error) {
    return refused(troubleOf(error))
  }
}

function readText(descriptor: number, bytesMax: number): ReadInside {
  const stat = fstatSync(descriptor)
  if (!stat.isFile()) return refused('is not a regular file')
  if (stat.size > bytesMax) return refused(`has ${stat.size} bytes, more than the ${bytesMax} that are read`)
  const bytes = Buffer.allocUnsafe(stat.size)
  let length = 0
  while (length < bytes.length) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, length)
    if (count === 0) break
    length += count
  }
  const whole = bytes.subarray(0, length)
  const text = decodeText(whole)
  return text === undefined ? { ...refused('is not a text file'), isBinary: true } : { status: 'text', text, bytes: whole }
}

function troubleOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return TROUBLES[code ?? ''] ?? `could not be read: ${message}`
}

const TROUBLES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  ELOOP: 'is a link that leads nowhere',
  EACCES: 'could not be read: permission denied',
  ENAMETOOLONG: 'does not exist',
  EISDIR: 'is not a regular file',
  ENXIO: 'is not a regular file',
}

function refused(reason: string): { readonly status: 'refused'; readonly reason: string } {
  return { status: 'refused', reason }
}

/** How many leading bytes to check for signs of a binary file. */
const SAMPLE_BYTES = 8192

/** Decodes a file's bytes, without a byte order mark; `undefined` if they aren't text. */
function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (bytes.subarray(0, SAMPLE_BYTES).includes(0)) return undefined
  try {
    return STRICT.decode(bytes)
  } catch {
    // Not UTF-8. Latin-1 can decode any byte, and ASCII quotes come out right in every old encoding.
    return new TextDecoder('latin1').decode(bytes)
  }
}

const STRICT = new TextDecoder('utf-8', { fatal: true })
