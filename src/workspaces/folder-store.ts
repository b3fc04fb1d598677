import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { FileChange } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import { absent, exists, syncFolder } from './files-on-disk.ts'
import type { SnapshotFile, SnapshotFiles } from './workspace.ts'
import { parseSnapshotName, requireName, snapshotMissing, snapshotName } from './snapshot-name.ts'

/** One file or symbolic link of a snapshot. */
export type FolderEntry =
  | { readonly path: string; readonly kind: 'file'; readonly mode: number; readonly sha256: string; readonly bytes: number }
  | { readonly path: string; readonly kind: 'link'; readonly target: string }

/** A tree as data. */
export interface FolderManifest {
  readonly v: 1
  readonly tree: string
  /** When it was kept, in milliseconds since the epoch. */
  readonly at: number
  /** The folder, relative to the store. */
  readonly folder: string
  /** The ignored patterns at that time. */
  readonly ignore: readonly string[]
  /** Sorted by path. */
  readonly entries: readonly FolderEntry[]
}

export interface EntryChange {
  readonly path: string
  readonly change: FileChange['change']
  readonly before?: FolderEntry
  readonly after?: FolderEntry
}

/** Hash of a tree: paths, modes, contents and link targets; not times or owners. */
export function treeHash(entries: readonly FolderEntry[]): string {
  const hash = createHash('sha256')
  for (const entry of entries) hash.update(`${identity(entry)}\0${entry.path}\0`)
  return hash.digest('hex')
}

/** What differs between two trees, sorted by path. */
export function entryChanges(before: readonly FolderEntry[], after: readonly FolderEntry[]): EntryChange[] {
  const old = new Map(before.map((entry) => [entry.path, entry]))
  const changes: EntryChange[] = []
  for (const entry of after) {
    const was = old.get(entry.path)
    old.delete(entry.path)
    if (was === undefined) changes.push({ path: entry.path, change: 'added', after: entry })
    else if (identity(was) !== identity(entry)) changes.push({ path: entry.path, change: 'modified', before: was, after: entry })
  }
  for (const entry of old.values()) changes.push({ path: entry.path, change: 'deleted', before: entry })
  return changes.toSorted((left, right) => byPath(left, right))
}

/** The order of a manifest: by code units, so the same everywhere. */
export function byPath(left: { readonly path: string }, right: { readonly path: string }): number {
  return left.path < right.path ? -1 : Number(left.path > right.path)
}

function identity(entry: FolderEntry): string {
  return entry.kind === 'link' ? `link ${entry.target}` : `${entry.mode.toString(8)} ${entry.sha256}`
}

/** A file's content in the store. */
export interface KeptContent {
  readonly sha256: string
  readonly bytes: number
}

/**
 * Stores a file's content, each distinct one once, and flushes it to disk; calls `onNew` if it is new. `undefined` if it is no longer a
 * regular file.
 */
export async function keepContent(
  store: string,
  path: string,
  onNew: (sha256: string) => void,
): Promise<KeptContent | undefined> {
  // Don't follow and don't block: a link or a pipe may have replaced the file meanwhile.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = await file.stat()
    if (!found.isFile()) return undefined
    return found.size <= IN_MEMORY_BYTES_MAX
      ? await keepSmall(store, await file.readFile(), onNew)
      : await keepLarge(store, file, onNew)
  } finally {
    await file.close()
  }
}

/** The path of the content with this hash. */
export function contentPath(store: string, sha256: string): string {
  return join(store, 'objects', sha256.slice(0, 2), sha256.slice(2))
}

/** A content by its hash; rejects if it was deleted. */
export async function readContent(store: string, sha256: string): Promise<Buffer> {
  return readFile(contentPath(store, sha256)).catch((cause: unknown) => {
    throw contentMissing(store, sha256, cause)
  })
}

/** The store is incomplete. */
export function contentMissing(store: string, sha256: string, cause?: unknown): PawlError {
  return new PawlError(
    'workspace.content-missing',
    `The content ${sha256} is missing from ${store}: part of the store was deleted, so this snapshot cannot be used.`,
    { value: sha256, cause },
  )
}

const IN_MEMORY_BYTES_MAX = 4 * 1024 * 1024

async function keepSmall(store: string, content: Buffer, onNew: (sha256: string) => void): Promise<KeptContent> {
  const sha256 = createHash('sha256').update(content).digest('hex')
  if (!(await exists(contentPath(store, sha256)))) {
    await keepIncoming(store, async (incoming) => {
      await incoming.writeFile(content)
      return sha256
    })
    onNew(sha256)
  }
  return { sha256, bytes: content.length }
}

/** Copies and hashes in one pass, because the file may change between two. */
async function keepLarge(store: string, file: FileHandle, onNew: (sha256: string) => void): Promise<KeptContent> {
  const hash = createHash('sha256')
  let bytes = 0
  const sha256 = await keepIncoming(store, async (incoming) => {
    for await (const chunk of file.createReadStream({ autoClose: false })) {
      hash.update(chunk as Buffer)
      bytes += (chunk as Buffer).length
      await incoming.writeFile(chunk as Buffer)
    }
    return hash.digest('hex')
  })
  onNew(sha256)
  return { sha256, bytes }
}

/** Nothing gets its final name before it is complete and on disk. */
async function keepIncoming(store: string, fill: (incoming: FileHandle) => Promise<string>): Promise<string> {
  const path = join(store, `incoming-${randomUUID()}`)
  const incoming = await open(path, 'wx', 0o600)
  try {
    const sha256 = await fill(incoming)
    await incoming.sync()
    await mkdir(dirname(contentPath(store, sha256)), { recursive: true })
    await rename(path, contentPath(store, sha256))
    return sha256
  } finally {
    await incoming.close()
    await rm(path, { force: true })
  }
}

/** A tree to store. */
export interface FolderTree {
  readonly root: string
  readonly ignore: readonly string[]
  readonly entries: readonly FolderEntry[]
  /** Hashes of the contents that are new in the store. */
  readonly added: ReadonlySet<string>
}

/** Stores a tree under a label, completely or not at all, and returns its name and hash. */
export async function keepFolderTree(store: string, run: string, label: string, { root, ignore, entries, added }: FolderTree) {
  const snapshot = snapshotName(run, label)
  const tree = treeHash(entries)
  const manifest: FolderManifest = { v: 1, tree, at: Date.now(), folder: relative(store, root), ignore, entries }
  const path = manifestPath(store, snapshot)
  await mkdir(dirname(path), { recursive: true })
  // The contents were flushed when they were written; this flushes their names.
  for (const folder of new Set(Array.from(added, (sha256) => sha256.slice(0, 2))))
    await syncFolder(join(store, 'objects', folder))
  await writeDurably(path, JSON.stringify(manifest))
  return { snapshot, tree }
}

/** A snapshot by name; rejects if it doesn't exist (and lists those that do), or if it belongs to another folder. */
export async function findFolderTree(store: string, root: string, snapshot: string): Promise<FolderManifest> {
  const { run } = parseSnapshotName(snapshot)
  const text = await readFile(manifestPath(store, snapshot), 'utf8').catch(absent)
  if (text === undefined) throw snapshotMissing(snapshot, await labelsOf(store, run))
  const manifest = JSON.parse(text) as FolderManifest
  if (manifest.folder === relative(store, root)) return manifest
  throw new PawlError(
    'workspace.run-elsewhere',
    `${snapshot} belongs to another folder (${manifest.folder}); use another run id here.`,
    {
      value: snapshot,
    },
  )
}

/** The labels of a run's snapshots. */
export async function labelsOf(store: string, run: string): Promise<string[]> {
  const names = (await readdir(runFolder(store, run)).catch(absent)) ?? []
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length))
}

/** Where a snapshot's list of files is. */
export function manifestPath(store: string, snapshot: string): string {
  const { run, label } = parseSnapshotName(snapshot)
  return join(runFolder(store, run), `${label}.json`)
}

/** The folder of a run's snapshots. */
export function runFolder(store: string, run: string): string {
  return join(store, 'runs', requireName('run id', run))
}

/** Writes a file completely or not at all, and flushes it. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const mine = `${path}-${randomUUID()}`
  const file = await open(mine, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    await rename(mine, path)
  } finally {
    await file.close()
    await rm(mine, { force: true })
  }
  await syncFolder(dirname(path))
}

/** The files of a snapshot with their contents. */
export function filesInFolderTree(store: string, entries: readonly FolderEntry[]): SnapshotFiles {
  const byName = new Map(entries.map((entry) => [entry.path, entry]))
  const files = new Map(entries.map((entry) => [entry.path, snapshotFile(entry)]))
  const read = async (path: string): Promise<Buffer | undefined> => {
    const entry = byName.get(path)
    if (!entry) return undefined
    return entry.kind === 'link' ? Buffer.from(entry.target) : readContent(store, entry.sha256)
  }
  return { files, read }
}

function snapshotFile(entry: FolderEntry): SnapshotFile {
  if (entry.kind === 'link') return { id: `link ${entry.target}`, kind: 'link' }
  return { id: entry.sha256, kind: entry.mode & 0o100 ? 'executable' : 'file' }
}
