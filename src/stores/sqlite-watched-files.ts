import { closeSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

export interface WatchedConnection extends SqliteConnection {
  /** Looks at the files at once where something was written since the last look. */
  lookOnceMore(): void
}

/**
 * A connection that writes nothing more once the database, its log or the index of that log was deleted or replaced by other hands.
 * It says so with `store.tampered`, again and again. A file that is gone is still open here, so all of it is saved beside the old
 * place first. The index (`-shm`) has the locks by which processes see each other: with two of them they would write over each other.
 */
export function watchedConnection(connection: SqliteConnection): WatchedConnection {
  const files = watchedFiles(connection.path)
  let gone: PawlError | undefined
  // The files were looked at just now.
  let lookedAt = performance.now()
  let hasUnseen = false
  const look = (): void => {
    lookedAt = performance.now()
    hasUnseen = false
    const harm = gone ? undefined : files.harm()
    if (harm !== undefined) gone = goneError(connection, harm)
    if (gone) throw gone
  }
  const looked = <Result>(work: () => Result): Result => {
    if (gone || performance.now() - lookedAt > LOOKS_APART_MS) look()
    const result = work()
    hasUnseen = true
    return result
  }
  return {
    ...connection,
    transact: (work, afterCommit) => connection.transact(() => looked(work), afterCommit),
    transactLightly: (work) => connection.transactLightly(() => looked(work)),
    lookOnceMore() {
      if (hasUnseen) look()
    },
  }
}

/**
 * A file that is deleted is still open here, so what is written into it meanwhile is saved at the next look. An agent that works for
 * seconds is met by one at every append.
 */
const LOOKS_APART_MS = 20

/** Says what became of the files by other hands, in words; nothing when all is well. */
function watchedFiles(path: string): { harm(): string | undefined } {
  // SQLite makes the two beside it when it first reads, and keeps them for as long as anyone has the database open.
  const beside = [`${path}-wal`, `${path}-shm`].map((file) => ({ file, known: inodeOf(file) }))
  const known = inodeOf(path)
  return {
    harm() {
      const found = inodeOf(path)
      if (found === undefined) return `${path} was deleted while it was in use.`
      if (found !== known) return `${path} was replaced by another file while it was in use.`
      for (const each of beside) {
        const present = inodeOf(each.file)
        each.known ??= present
        if (present !== each.known) return `${each.file} was deleted or replaced while it was in use.`
      }
      return undefined
    },
  }
}

/** Inodes of some file systems are larger than a number can tell apart. */
function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino
}

function goneError({ database, path }: SqliteConnection, harm: string): PawlError {
  try {
    // A copy cannot be made within a transaction, and this one has nothing in it.
    if (database.isTransaction) database.exec('ROLLBACK')
    const copy = freeName(path)
    database.prepare('VACUUM INTO ?').run(copy)
    const message = `${harm} All that was acknowledged is in ${copy}: delete what is left of ${path} and its -wal and -shm files, move the copy there, and go on.`
    return new PawlError('store.tampered', message, { value: { path, copy } })
  } catch (cause) {
    const message = `${harm} What was acknowledged could not be saved (${String(cause)}): bring back a copy of the file.`
    return new PawlError('store.tampered', message, { value: { path }, cause })
  }
}

/** An empty file of its own beside the old place, for the owner only. */
function freeName(path: string): string {
  const folder = dirname(path)
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  if (isNew && basename(folder) === '.pawl') writeFileSync(join(folder, '.gitignore'), '*\n')
  const extension = extname(path)
  for (let number = 1; ; number += 1) {
    const name = join(folder, `${basename(path, extension)}-rescued-${number}${extension}`)
    try {
      closeSync(openSync(name, 'wx', 0o600))
      return name
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error
    }
  }
}
