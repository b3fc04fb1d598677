import { lstat, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { absent, mapParallel } from './files-on-disk.ts'
import { contentPath, type FolderManifest, labelsOf, manifestPath, runFolder } from './folder-store.ts'
import { snapshotName } from './snapshot-name.ts'
import type { SnapshotSpace } from './workspace.ts'

/** The space of snapshots that are plain copies; `store` is the folder with them. */
export function folderSpace(store: string): SnapshotSpace {
  const usedBy = async (isWanted: (run: string) => boolean): Promise<ReadonlySet<string>> => {
    const runs = (await readdir(join(store, 'runs')).catch(absent)) ?? []
    const used = new Set<string>()
    for (const run of runs.filter(isWanted))
      for (const label of await labelsOf(store, run)) {
        const text = await readFile(manifestPath(store, snapshotName(run, label)), 'utf8')
        for (const entry of (JSON.parse(text) as FolderManifest).entries) if (entry.kind === 'file') used.add(entry.sha256)
      }
    return used
  }
  const onlyOf = async (runs: readonly string[]): Promise<readonly string[]> => {
    const others = await usedBy((run) => !runs.includes(run))
    return [...(await usedBy((run) => runs.includes(run)))].filter((sha256) => !others.has(sha256))
  }
  return {
    async bytesOf(runs) {
      const sizes = await mapParallel(await onlyOf(runs), 16, (sha256) => lstat(contentPath(store, sha256)).catch(absent))
      return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0)
    },
    worktreeBytes: async () => 0,
    async drop(run) {
      const own = await onlyOf([run])
      // Names first: a snapshot without its contents must not be found.
      await rm(runFolder(store, run), { recursive: true, force: true })
      for (const sha256 of own) await rm(contentPath(store, sha256), { force: true })
      // It says which contents are there.
      await rm(join(store, 'objects', 'cache.json'), { force: true })
    },
    labels: (run) => labelsOf(store, run),
    isFreedLater: false,
  }
}
