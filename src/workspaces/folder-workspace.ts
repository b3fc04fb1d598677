import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FileChange } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { PartSpec } from '../core/run-config.ts'
import { shellWord } from '../core/wording.ts'
import type { Captured } from '../process/output.ts'
import { cappedDiff, type FileVersion, unifiedDiff } from './diff.ts'
import { requireOwnPlace } from './files-on-disk.ts'
import { blameInFolder } from './folder-blame.ts'
import { filesStamp, namesBelow } from './files-stamp.ts'
import { type FolderPlace, previewFolder, restoreFolder } from './folder-restore.ts'
import { leftOutOf, openFolderCache, scanFolder } from './folder-scan.ts'
import {
  entryChanges,
  filesInFolderTree,
  findFolderTree,
  type FolderEntry,
  keepFolderTree,
  labelsOf,
  manifestPath,
  readContent,
} from './folder-store.ts'
import { requireOwnLabel, snapshotName, START_LABEL } from './snapshot-name.ts'
import type { Observation, Workspace } from './workspace.ts'
import { needed, optional, settingsSchema, TEXT, TEXTS } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'

export interface FolderWorkspaceOptions {
  /** The folder a run works on. */
  readonly path: string
  /** Where contents and snapshots are stored; default `<path>/.pawl/snapshots`. */
  readonly store?: string
  /**
   * What to leave out besides `.git`, `.pawl` and `node_modules`, which are left out at every depth: patterns of
   * `path.matchesGlob` against paths from the folder, such as `dist` or `logs/*.txt`. A wildcard does not match a leading dot.
   * Default none; a `.gitignore` is not read.
   */
  readonly ignore?: readonly string[]
}

/**
 * For folders without git: stores every distinct content once, by its hash, and a list of files for each snapshot. Restores file modes,
 * symbolic links and UTF-8 names; not empty folders, owners and times. Files that vanish or can't be read are left out with a note.
 *
 * @part folder
 */
export function folderWorkspace(options: FolderWorkspaceOptions): Workspace {
  readOptions('folderWorkspace', OPTIONS, options)
  const { path, store, ignore = [] } = options
  const root = resolve(path)
  const place: FolderPlace = { root, store: resolve(store ?? join(path, '.pawl', 'snapshots')), ignore }
  const spec: PartSpec = { name: 'folder', v: 1, settings: { path, ignore, ...(store === undefined ? {} : { store }) } }
  return {
    spec,
    async open(run) {
      await openStore(place, path)
      if ((await labelsOf(place.store, run)).includes(START_LABEL))
        await findFolderTree(place.store, root, snapshotName(run, START_LABEL))
      else await capture(place, run, START_LABEL)
      return { cwd: root }
    },
    async observe(run, label, since) {
      return observe(place, run, requireOwnLabel(label), since)
    },
    stamp: async () => filesStamp(root, await namesBelow(root)),
    restore: (run, snapshot) => restoreFolder(place, run, snapshot),
    preview: (_run, snapshot) => previewFolder(place, snapshot),
    async diff(from, to) {
      const [before, after] = [await findFolderTree(place.store, root, from), await findFolderTree(place.store, root, to)]
      return (await folderDifference(place.store, before.entries, after.entries)).diff
    },
    async filesOf(snapshot) {
      return filesInFolderTree(place.store, (await findFolderTree(place.store, root, snapshot)).entries)
    },
    leftOut: () => leftOutOf(root, ignore),
    blame: (request) => blameInFolder(place, request),
    howToRestore(snapshot, paths = []) {
      const words = [join(place.store, SCRIPT), manifestPath(place.store, snapshot), root, ...paths]
      return `node ${words.map(shellWord).join(' ')}`
    },
  }
}

const SCRIPT = 'restore.mjs'

async function openStore({ root, store }: FolderPlace, path: string): Promise<void> {
  const found = await stat(root).catch(() => undefined)
  if (!found?.isDirectory()) {
    throw new PawlError('workspace.folder-missing', `The folder ${root} is not there; create it or name another.`, {
      value: path,
    })
  }
  await requireOwnPlace(store)
  await mkdir(join(store, 'objects'), { recursive: true })
  await writeFile(join(store, '.gitignore'), '*\n')
  await writeFile(join(store, SCRIPT), restoreScript)
}

async function observe(place: FolderPlace, run: string, label: string, since?: string): Promise<Observation> {
  const { root, store } = place
  await requireOwnPlace(store)
  const hasStart = (await labelsOf(store, run)).includes(START_LABEL)
  const base = since ?? (hasStart ? snapshotName(run, START_LABEL) : undefined)
  // Looked up first, because `label` may be the name to compare with.
  const before = base === undefined ? undefined : await findFolderTree(store, root, base)
  const { entries, notes, snapshot, tree } = await capture(place, run, label)
  return { tree, snapshot, ...(await folderDifference(store, before?.entries ?? entries, entries)), notes, leftOut: notes.length }
}

async function capture({ root, store, ignore }: FolderPlace, run: string, label: string) {
  const cache = await openFolderCache(store)
  const { entries, notes, added } = await scanFolder({ root, store, ignore, cache })
  const kept = await keepFolderTree(store, run, label, { root, ignore, entries, added })
  await cache.save()
  return { ...kept, entries, notes }
}

interface FolderDifference {
  readonly files: readonly FileChange[]
  readonly insertions: number
  readonly deletions: number
  readonly diff: Captured
}

/** What differs between two trees, as a list, as counts and as a patch. A file above 32 MB is named only, like a binary one. */
async function folderDifference(
  store: string,
  before: readonly FolderEntry[],
  after: readonly FolderEntry[],
): Promise<FolderDifference> {
  const changes = entryChanges(before, after)
  const counts = { insertions: 0, deletions: 0 }
  async function* patches(): AsyncGenerator<Buffer> {
    for (const change of changes) {
      const versions = [await versionOf(store, change.before), await versionOf(store, change.after)] as const
      const { text, insertions, deletions } = unifiedDiff(change.path, ...versions)
      counts.insertions += insertions
      counts.deletions += deletions
      yield text
    }
  }
  const diff = await cappedDiff(patches())
  return { files: changes.map(({ path, change }) => ({ path, change })), ...counts, diff }
}

const COMPARED_BYTES_MAX = 32 * 1024 * 1024

async function versionOf(store: string, entry: FolderEntry | undefined): Promise<FileVersion | undefined> {
  if (entry === undefined) return undefined
  if (entry.kind === 'link') return { mode: '120000', content: Buffer.from(entry.target) }
  const mode = entry.mode & 0o100 ? '100755' : '100644'
  // A zero byte before its hash makes it binary and different from any other content.
  const stand = Buffer.from(`\0${entry.sha256}`)
  return { mode, content: entry.bytes > COMPARED_BYTES_MAX ? stand : await readContent(store, entry.sha256) }
}

/** A program for people, kept in the store: `node restore.mjs MANIFEST FOLDER` writes a snapshot's files and deletes no others. */
const restoreScript = `// Brings the files of a Pawl snapshot back, all or only some: node restore.mjs MANIFEST FOLDER [PATHS]
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [manifest, folder, ...only] = process.argv.slice(2)
const all = JSON.parse(readFileSync(manifest, 'utf8')).entries
const entries = all.filter(({ path }) => only.length === 0 || only.includes(path))
for (const entry of entries) {
  const path = join(folder, entry.path)
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  if (entry.kind === 'link') {
    symlinkSync(entry.target, path)
  } else {
    copyFileSync(join(import.meta.dirname ?? dirname(process.argv[1]), 'objects', entry.sha256.slice(0, 2), entry.sha256.slice(2)), path)
    chmodSync(path, entry.mode)
  }
}
console.log(entries.length + ' files are back in ' + folder)
`

const OPTIONS = settingsSchema({ path: needed(TEXT), store: optional(TEXT), ignore: optional(TEXTS) })
