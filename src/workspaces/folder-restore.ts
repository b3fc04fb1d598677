import { constants } from 'node:fs'
import { chmod, copyFile, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FileChange } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import {
  absent,
  filesBelow,
  exists,
  mapParallel,
  occupantOf,
  putInside,
  rawName,
  readableName,
  removeInside,
} from './files-on-disk.ts'
import { type FolderScan, isIgnored, openFolderCache, scanFolder, stampOf } from './folder-scan.ts'
import {
  contentMissing,
  contentPath,
  type EntryChange,
  entryChanges,
  findFolderTree,
  type FolderEntry,
  type FolderManifest,
  keepFolderTree,
  labelsOf,
  runFolder,
  treeHash,
  writeDurably,
} from './folder-store.ts'
import { savedLabel } from './snapshot-name.ts'
import type { Restoration, RestorePreview } from './workspace.ts'

/** A folder and the store of its snapshots. */
export interface FolderPlace {
  readonly root: string
  readonly store: string
  readonly ignore: readonly string[]
}

/**
 * Saves the present tree, then makes the folder equal to the snapshot, each file atomically. If it is killed and called again, it
 * completes and returns the tree that was saved first.
 */
export async function restoreFolder(place: FolderPlace, run: string, snapshot: string): Promise<Restoration> {
  const target = await findFolderTree(place.store, place.root, snapshot)
  await requireContents(place.store, target.entries)
  for (let attempt = 1; ; attempt += 1) {
    const moving = await tryRestore(place, run, snapshot, target)
    if (moving === undefined) break
    if (attempt === ATTEMPTS_MAX) throw stillChanging(place.root, moving)
    await sleep(PAUSE_MS * attempt)
  }
  const savedAs = await unfinishedRestore(place.store, run, snapshot)
  await rm(markerPath(place.store, run), { force: true })
  if (savedAs === undefined) return { tree: target.tree }
  const before = await findFolderTree(place.store, place.root, savedAs)
  return { tree: target.tree, savedAs, files: fileChanges(wanted(before.entries, target)) }
}

/** What `restoreFolder` would change. */
export async function previewFolder(place: FolderPlace, snapshot: string): Promise<RestorePreview> {
  const target = await findFolderTree(place.store, place.root, snapshot)
  return { files: fileChanges(wanted((await scanPresent(place, target)).entries, target)) }
}

function fileChanges(changes: readonly EntryChange[]): FileChange[] {
  return changes.map(({ path, change }) => ({ path, change }))
}

const ATTEMPTS_MAX = 6
const PAUSE_MS = 200
const PARALLEL_MAX = 16

/** Returns the path of a file that changed after it was saved, if any: then it has to start over. */
async function tryRestore(
  place: FolderPlace,
  run: string,
  snapshot: string,
  target: FolderManifest,
): Promise<string | undefined> {
  const scan = await scanPresent(place, target)
  if (treeHash(scan.entries) === target.tree) return undefined
  const changes = wanted(scan.entries, target)
  await requireNothingInTheWay(place.root, scan, changes)
  await save(place, run, snapshot, scan)
  const { root, store } = place
  for (const { path } of changes.filter(({ change }) => change === 'deleted')) {
    if (!(await isAsSaved(root, path, scan))) return path
    if (!(await removeInside(root, rawName(path)))) return path
  }
  for (const { path, before, after } of changes) {
    if (after === undefined) continue
    if (before !== undefined && !(await isAsSaved(root, path, scan))) return path
    if (!(await writeEntry(root, store, after))) return path
  }
  return undefined
}

/** What has to change: added files that the snapshot ignores stay. */
function wanted(present: readonly FolderEntry[], target: FolderManifest): readonly EntryChange[] {
  return entryChanges(present, target.entries).filter(
    ({ path, change }) => !(change === 'deleted' && isIgnored(path, target.ignore)),
  )
}

/** Files of the snapshot are saved even if they are ignored by now. */
async function scanPresent({ root, store, ignore }: FolderPlace, target: FolderManifest): Promise<FolderScan> {
  const candidates = target.entries.map(({ path }) => path).filter((path) => isIgnored(path, ignore))
  const forced: string[] = []
  for (const path of candidates) {
    const occupant = await occupantOf(root, rawName(path))
    if (occupant?.kind === 'file' && occupant.name === rawName(path)) forced.push(path)
  }
  const cache = await openFolderCache(store)
  const scan = await scanFolder({ root, store, ignore, cache, forced })
  await cache.save()
  return scan
}

/** Never overwrite what isn't in the saved tree, ignored or unreadable: then nothing is changed at all. */
async function requireNothingInTheWay(root: string, scan: FolderScan, changes: readonly EntryChange[]): Promise<void> {
  const saved = new Set(scan.entries.map(({ path }) => rawName(path)))
  for (const { path, after } of changes) {
    const occupant = after && (await occupantOf(root, rawName(path)))
    if (occupant === undefined) continue
    const files = occupant.kind === 'file' ? [occupant.name] : await filesBelow(root, occupant.name)
    const unsaved = files.find((name) => !saved.has(name))
    if (unsaved === undefined) continue
    const name = readableName(unsaved)
    throw new PawlError(
      'workspace.file-in-the-way',
      `${name} in ${root} stands where the snapshot has ${path}, and is in no snapshot itself; move it away and try again.`,
      { value: name },
    )
  }
}

async function save(
  { root, store, ignore }: FolderPlace,
  run: string,
  snapshot: string,
  { entries, added }: FolderScan,
): Promise<void> {
  const counts = (await labelsOf(store, run)).map((label) => Number(/^saved-(\d+)$/.exec(label)?.[1] ?? 0))
  const label = savedLabel(Math.max(0, ...counts) + 1)
  const { snapshot: savedAs } = await keepFolderTree(store, run, label, { root, ignore, entries, added })
  if ((await unfinishedRestore(store, run, snapshot)) !== undefined) return
  await writeDurably(markerPath(store, run), `${snapshot} ${savedAs}\n`)
}

/** What an unfinished restore of the same snapshot saved first. */
async function unfinishedRestore(store: string, run: string, snapshot: string): Promise<string | undefined> {
  const [name, savedAs] = (await readFile(markerPath(store, run), 'utf8').catch(absent))?.trim().split(' ') ?? []
  return name === snapshot ? savedAs : undefined
}

function markerPath(store: string, run: string): string {
  return join(runFolder(store, run), 'restoring')
}

async function isAsSaved(root: string, path: string, scan: FolderScan): Promise<boolean> {
  return (await stampOf(join(root, path))) === scan.stamps.get(path)
}

/** `false` if its folder is no folder any more: then nothing was written. */
function writeEntry(root: string, store: string, entry: FolderEntry): Promise<boolean> {
  return putInside(root, rawName(entry.path), async (place) => {
    if (entry.kind === 'link') return symlink(entry.target, place)
    await copyFile(contentPath(store, entry.sha256), place, constants.COPYFILE_FICLONE)
    await chmod(place, entry.mode)
  })
}

async function requireContents(store: string, entries: readonly FolderEntry[]): Promise<void> {
  await mapParallel(entries, PARALLEL_MAX, async (entry) => {
    if (entry.kind === 'file' && !(await exists(contentPath(store, entry.sha256)))) throw contentMissing(store, entry.sha256)
  })
}

function stillChanging(root: string, path: string): PawlError {
  return new PawlError(
    'workspace.still-changing',
    `${path} in ${root} keeps changing, so the restore was given up; end what writes to it and try again. All is saved.`,
    { value: path },
  )
}
