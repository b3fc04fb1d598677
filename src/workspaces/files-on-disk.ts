import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'

/** Whether something exists at this path; rejects if that can't be determined. */
export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(absent)) !== undefined
}

/** For `.catch`: a missing file is `undefined`, every other error is thrown. */
export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}

/** What occupies a place on disk: the path itself, or a file or symbolic link where one of its folders should be. */
export interface Occupant {
  /** Raw name, relative to the root. */
  readonly name: string
  readonly kind: 'file' | 'folder'
}

/** What is at a raw name below `root`, without following symbolic links; `undefined` if the place is free. */
export async function occupantOf(root: string, name: string): Promise<Occupant | undefined> {
  const parts = name.split('/')
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const here = parts.slice(0, depth).join('/')
    const found = await lstat(onDisk(root, here)).catch(absent)
    if (found === undefined) return undefined
    if (!found.isDirectory()) return { name: here, kind: 'file' }
  }
  return { name, kind: 'folder' }
}

/**
 * Calls `use` with a way to name files in the folder of a raw name that stays the same folder, whatever is put in place of it or of one
 * above it meanwhile. Makes missing folders if `isMade`. Returns `undefined` if a link or a file is in the place of a folder, or one is
 * missing. On Linux by a descriptor for each folder; elsewhere the folder is looked at just before.
 */
async function inRealFolder<Result>(
  root: string,
  name: string,
  isMade: boolean,
  use: (at: (name: string) => Buffer) => Promise<Result>,
): Promise<Result | undefined> {
  const parts = name.split('/').slice(0, -1)
  if (process.platform !== 'linux') {
    const folder = parts.join('/')
    const occupant = folder === '' ? undefined : await occupantOf(root, folder)
    if (occupant?.kind === 'file' || (!occupant && folder !== '' && !isMade)) return undefined
    if (isMade) await mkdir(onDisk(root, folder), { recursive: true })
    return use((inner) => onDisk(root, [...parts, inner].join('/')))
  }
  let handle = await open(root, constants.O_RDONLY | constants.O_DIRECTORY)
  const at = (inner: string): Buffer => onDisk(`/proc/self/fd/${handle.fd}`, inner)
  try {
    for (const part of parts) {
      const path = at(part)
      if (isMade) await mkdir(path).catch(ifExists)
      const next = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(absent)
      if (next === undefined) return undefined
      await handle.close()
      handle = next
    }
    return await use(at)
  } finally {
    await handle.close()
  }
}

/** Removes a file by its raw name, and the folders it leaves empty. `false` if its folder is no folder any more. */
export async function removeInside(root: string, name: string): Promise<boolean> {
  const removed = await inRealFolder(root, name, false, async (at) => {
    await rm(at(lastOf(name)), { force: true })
    return true
  })
  for (let folder = parentOf(name); folder !== ''; folder = parentOf(folder)) {
    const empty = folder
    const isGone = await inRealFolder(root, empty, false, (at) =>
      rmdir(at(lastOf(empty))).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(error.code ?? '')) throw error
          return false
        },
      ),
    )
    if (!isGone) break
  }
  return removed ?? false
}

/**
 * Puts a file or link at a raw name: `make` makes it at the place it is given, which is then renamed. So a reader sees the old file or the
 * new one, and a crash leaves no half-written file. `false` if its folder is no folder any more: then nothing was written.
 */
export async function putInside(root: string, name: string, make: (place: Buffer) => Promise<void>): Promise<boolean> {
  const written = await inRealFolder(root, name, true, async (at) => {
    const [path, mine] = [at(lastOf(name)), at(`.pawl-${randomUUID()}`)]
    try {
      await make(mine)
      // An empty folder may be there: its files were removed before.
      await rmdir(path).catch((error: NodeJS.ErrnoException) => {
        if (!['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) throw error
      })
      await rename(mine, path)
    } finally {
      await rm(mine, { force: true })
    }
    return true
  })
  return written ?? false
}

function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

function parentOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')))
}

function ifExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/** Every file and symbolic link below a folder, as raw names relative to `root`. */
export async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(onDisk(root, folder), { withFileTypes: true, encoding: 'buffer' })
  const nested = entries.map((entry) => {
    const name = `${folder}/${entry.name.toString('latin1')}`
    return entry.isDirectory() ? filesBelow(root, name) : [name]
  })
  return (await Promise.all(nested)).flat()
}

/** Whether something is there that can't be read: an unreadable file, a pipe, a socket. */
export async function isUnfit(root: string, name: string): Promise<boolean> {
  try {
    // Don't block, because a pipe may have replaced the file; don't follow, because a broken link is readable as a link.
    const file = await open(onDisk(root, name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const isFile = (await file.stat()).isFile()
    await file.close()
    return !isFile
  } catch (error) {
    return !['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}

/** A raw name below a folder, as the file system takes it. */
export function onDisk(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(join(root, '/')), Buffer.from(name, 'latin1')])
}

/** A file's present content; `undefined` if there is no such regular file. */
export async function fileContent(folder: string, path: string): Promise<Buffer | undefined> {
  const found = await lstat(join(folder, path)).catch(absent)
  return found?.isFile() ? readFile(join(folder, path)) : undefined
}

/** Rejects if the folder `.pawl` above a path of ours is a link: an agent could have put it there. */
export async function requireOwnPlace(path: string): Promise<void> {
  const own = /^.*\/\.pawl(?=\/|$)/.exec(path)?.[0]
  if (own === undefined || !(await lstat(own).catch(absent))?.isSymbolicLink()) return
  const sentence = `${own} is a link, and an agent could have put it there, so Pawl writes nothing below it: remove the link.`
  throw new PawlError('workspace.own-folder-linked', sentence, { value: own })
}

/** Throws if a path isn't in the folder, or if git couldn't be given it in one line. */
export function requireInnerPath(path: string): string {
  const isInner = path !== '' && !path.startsWith('/') && !path.includes('\n') && !path.split('/').includes('..')
  if (isInner) return path
  throw new PawlError('workspace.path-invalid', `"${path}" is no file of this folder: name one by its path from the folder.`, {
    value: path,
  })
}

/** Flushes a folder's names to disk, so that a file renamed into it survives a power cut. */
export async function syncFolder(path: string): Promise<void> {
  // Windows can't open a folder, and repositories with reftables have no such folder: both flush in other ways.
  const folder = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (!['ENOENT', 'EPERM', 'EISDIR', 'EACCES'].includes(error.code ?? '')) throw error
  })
  if (folder === undefined) return
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Maps a list with at most `parallelMax` calls under way at once; results keep the order of the list. */
export async function mapParallel<Item, Result>(
  items: readonly Item[],
  parallelMax: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: Math.min(parallelMax, items.length) }, worker))
  return results
}

/** A raw name (one character per byte, as on disk) as text for people and the journal. */
export function readableName(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('utf8')
}

/** Text as a raw name. */
export function rawName(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
