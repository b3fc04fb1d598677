import type { Observation, Workspace } from './workspace.ts'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { needed, TEXT, TEXTS } from '../core/option-kinds.ts'
import { PawlError } from '../core/pawl-error.ts'
import { requireOptions } from '../core/require-options.ts'
import type { PartSpec } from '../core/run-config.ts'
import { blameInFolder } from './folder-blame.ts'
import { openFolderCache } from './folder-cache.ts'
import { folderDifference } from './folder-difference.ts'
import { previewFolder, restoreFolder, type FolderPlace } from './folder-restore.ts'
import { restoreScript } from './folder-restore-script.ts'
import { scanFolder } from './folder-scan.ts'
import { findFolderTree, keepFolderTree, labelsOf, manifestPath } from './folder-snapshots.ts'
import { shellWord } from '../core/shell-word.ts'
import { requireOwnLabel, snapshotName, START_LABEL } from './snapshot-name.ts'

export interface FolderWorkspaceOptions {
  /** The folder a run works on. */
  readonly path: string
  /** Where contents and snapshots are kept; default `<path>/.pawl/snapshots`. */
  readonly store?: string
  /**
   * What to leave out besides `.git`, `.pawl` and `node_modules`, which are left out at every depth: patterns of
   * `path.matchesGlob` against paths from the folder, such as `dist` or `logs/*.txt`. A wildcard does not match a leading dot.
   * Default none; a `.gitignore` is not read.
   */
  readonly ignore?: readonly string[]
}

/**
 * For folders without git: keeps every distinct content once, by its hash, and a list of files for each snapshot. File modes,
 * symbolic links and every name in UTF-8 come back as they were; empty folders, owners and times do not. What vanishes, cannot be
 * read or is no file is left out with a note.
 *
 * @part folder
 */
export function folderWorkspace(options: FolderWorkspaceOptions): Workspace {
  requireOptions('folderWorkspace', options, { path: needed(TEXT), store: TEXT, ignore: TEXTS })
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
    restore: (run, snapshot) => restoreFolder(place, run, snapshot),
    preview: (_run, snapshot) => previewFolder(place, snapshot),
    async diff(from, to) {
      const [before, after] = [await findFolderTree(place.store, root, from), await findFolderTree(place.store, root, to)]
      return (await folderDifference(place.store, before.entries, after.entries)).diff
    },
    blame: (request) => blameInFolder(place, request),
    howToRestore(snapshot) {
      const words = [join(place.store, SCRIPT), manifestPath(place.store, snapshot), root]
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
  await mkdir(join(store, 'objects'), { recursive: true })
  await writeFile(join(store, '.gitignore'), '*\n')
  await writeFile(join(store, SCRIPT), restoreScript)
}

async function observe(place: FolderPlace, run: string, label: string, since?: string): Promise<Observation> {
  const { root, store } = place
  const hasStart = (await labelsOf(store, run)).includes(START_LABEL)
  const base = since ?? (hasStart ? snapshotName(run, START_LABEL) : undefined)
  // Looked up before anything is kept, for `label` may be the very name that is compared with.
  const before = base === undefined ? undefined : await findFolderTree(store, root, base)
  const { entries, notes, snapshot, tree } = await capture(place, run, label)
  return { tree, snapshot, ...(await folderDifference(store, before?.entries ?? entries, entries)), notes }
}

async function capture({ root, store, ignore }: FolderPlace, run: string, label: string) {
  const cache = await openFolderCache(store)
  const { entries, notes, added } = await scanFolder({ root, store, ignore, cache })
  const kept = await keepFolderTree(store, run, label, { root, ignore, entries, added })
  await cache.save()
  return { ...kept, entries, notes }
}
