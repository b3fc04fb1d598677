import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { treeHash, type FolderEntry, type FolderManifest } from './folder-manifest.ts'
import { absent } from './is-there.ts'
import { parseSnapshotName, requireName, snapshotMissing, snapshotName } from './snapshot-name.ts'
import { syncFolder } from './sync-folder.ts'

/** What a tree to be kept consists of. */
export interface FolderTree {
  readonly root: string
  readonly ignore: readonly string[]
  readonly entries: readonly FolderEntry[]
  /** Hashes of the contents that are new in the store. */
  readonly added: ReadonlySet<string>
}

/** Keeps a tree under a label, whole or not at all, and answers with its name and hash. */
export async function keepFolderTree(store: string, run: string, label: string, { root, ignore, entries, added }: FolderTree) {
  const snapshot = snapshotName(run, label)
  const tree = treeHash(entries)
  const manifest: FolderManifest = { v: 1, tree, at: Date.now(), folder: relative(store, root), ignore, entries }
  const path = manifestPath(store, snapshot)
  await mkdir(dirname(path), { recursive: true })
  // The contents themselves were flushed when they were written; here go their names.
  for (const folder of new Set(Array.from(added, (sha256) => sha256.slice(0, 2))))
    await syncFolder(join(store, 'objects', folder))
  await writeDurably(path, JSON.stringify(manifest))
  return { snapshot, tree }
}

/** A snapshot by name; refuses one that does not exist and says which there are, and one of another folder. */
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

/** Where what belongs to one run is. */
export function runFolder(store: string, run: string): string {
  return join(store, 'runs', requireName('run id', run))
}

/** Writes a file whole or not at all, and flushes it. */
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
