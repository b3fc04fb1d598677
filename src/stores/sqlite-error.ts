import { PawlError } from '../core/pawl-error.ts'

/** Turns what SQLite or the file system threw into a `PawlError` that says what to do. A `PawlError` stays what it is. */
export function storeError(error: unknown, path: string): PawlError {
  if (error instanceof PawlError) return error
  const { code, errcode = 0, message } = error as { code?: string; errcode?: number; message?: string }
  if (code === 'ERR_INVALID_STATE') return storeClosed(path)
  const known = (code === 'ERR_SQLITE_ERROR' ? BY_SQLITE_CODE[errcode & 0xff] : BY_SYSTEM_CODE[code ?? '']) ?? 'failed'
  return new PawlError(`store.${known}`, `${SENTENCES[known](path)} (${message ?? String(error)})`, { value: path, cause: error })
}

/** Whether SQLite could not get a lock in time: trying again helps. */
export function isBusy(error: unknown): boolean {
  const { code, errcode = 0 } = error as { code?: string; errcode?: number }
  return code === 'ERR_SQLITE_ERROR' && ((errcode & 0xff) === SQLITE_BUSY || (errcode & 0xff) === SQLITE_LOCKED)
}

/** The store was used after `close`. */
export function storeClosed(path: string): PawlError {
  return new PawlError('store.closed', `The store at ${path} was used after it was closed: open it again with sqliteStore().`, {
    value: path,
  })
}

type Kind = 'disk-full' | 'read-only' | 'corrupt' | 'path' | 'io' | 'busy' | 'failed'

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6

const BY_SQLITE_CODE: Readonly<Record<number, Kind>> = {
  3: 'read-only', // PERM
  [SQLITE_BUSY]: 'busy',
  [SQLITE_LOCKED]: 'busy',
  8: 'read-only', // READONLY
  10: 'io', // IOERR
  11: 'corrupt', // CORRUPT
  13: 'disk-full', // FULL
  14: 'read-only', // CANTOPEN
  26: 'corrupt', // NOTADB
}

const BY_SYSTEM_CODE: Readonly<Record<string, Kind>> = {
  EACCES: 'read-only',
  EPERM: 'read-only',
  EROFS: 'read-only',
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EIO: 'io',
  ENOTDIR: 'path',
  EISDIR: 'path',
  EEXIST: 'path',
  ENAMETOOLONG: 'path',
}

const SENTENCES: Readonly<Record<Kind, (path: string) => string>> = {
  'disk-full': (path) =>
    `The disk is full, so nothing more can be written to ${path}: free some space and go on; what was acknowledged is there.`,
  'read-only': (path) =>
    `${path} cannot be opened for writing: give this user the right to write the file and its folder, or choose another path.`,
  corrupt: (path) =>
    `${path} is damaged or not a SQLite database: move it away, or bring back a copy of it and of its -wal file.`,
  path: (path) =>
    `${path} cannot be a file: a part of this path is not a folder, or the path names a folder; choose another path.`,
  io: (path) => `Reading or writing ${path} failed: check the disk and that its folder is on a local file system, then go on.`,
  busy: (path) => `${path} was locked by other processes for too long: see what else has it open, then try again.`,
  failed: (path) => `SQLite refused to work on ${path}.`,
}
