import { lstat, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PartSpec } from '../core/run-config.ts'
import { absent, exists, mapParallel, readableName } from './files-on-disk.ts'
import { contentPath, type FolderManifest, labelsOf, manifestPath, runFolder } from './folder-store.ts'
import { git } from './git-program.ts'
import { findRepository, type Repository } from './git-repository.ts'
import { dropSnapshots, folderIdentity, snapshotsOf } from './git-snapshot.ts'
import { removeWorktree, worktreeFolder } from './git-worktree.ts'
import { snapshotName, START_LABEL } from './snapshot-name.ts'

/** What the snapshots of runs take, and a way to have less of them. */
export interface SnapshotSpace {
  /** Bytes on disk that only the snapshots of these runs hold; `undefined` if that can't be known. */
  bytesOf(runs: readonly string[]): Promise<number | undefined>
  /** Bytes of the run's own worktree; 0 if it has none. */
  worktreeBytes(run: string): Promise<number>
  /** Drops all snapshots of a run, and its worktree. The files of the project stay as they are. */
  drop(run: string): Promise<void>
  /** Whether dropped snapshots take space until git cleans up. */
  readonly isFreedLater: boolean
}

/** The space of the snapshots in a workspace. */
export function snapshotSpace({ name, settings }: PartSpec): SnapshotSpace {
  const path = String(settings['path'])
  return name === 'git' ? gitSpace(path) : folderSpace(String(settings['store'] ?? join(path, '.pawl', 'snapshots')))
}

function gitSpace(path: string): SnapshotSpace {
  return {
    bytesOf: async (runs) => bytesInGit(await findRepository(path), runs),
    worktreeBytes: (run) => bytesBelow(worktreeFolder(path, run)),
    async drop(run) {
      if (await exists(worktreeFolder(path, run))) await removeWorktree(path, run)
      const repository = await findRepository(path)
      const start = (await snapshotsOf(repository, run)).find(({ label }) => label === START_LABEL)
      // The same id in another folder of the repository is another run.
      if (start && prefixIn(start.folder) !== prefixIn(folderIdentity(repository))) return
      await dropSnapshots(path, run)
    },
    isFreedLater: true,
  }
}

function prefixIn(identity: string): string {
  return identity.slice(identity.indexOf(':') + 1)
}

/** Compared with all other refs and with what is staged: what the user's own history holds isn't ours. */
async function bytesInGit({ top }: Repository, runs: readonly string[]): Promise<number | undefined> {
  const isOurs = (name: string): boolean => runs.some((run) => name.startsWith(snapshotName(run, 'x').slice(0, -1)))
  const listed = await git(['for-each-ref', '--format=%(refname)'], { cwd: top })
  const names = readableName(listed.stdout.toString('latin1')).split('\n').slice(0, -1)
  const ours = names.filter(isOurs)
  if (ours.length === 0) return 0
  // As trees: of commits, git looks at the edges of a history only.
  const others = ['HEAD', ...names.filter((name) => !isOurs(name))].map((name) => `^${name}^{tree}\n`)
  const args = ['rev-list', '--objects', '--disk-usage', '--ignore-missing', '--stdin']
  const input = Buffer.from(`${ours.join('\n')}\n${others.join('')}`).toString('latin1')
  const { exitCode, stdout } = await git(args, { cwd: top, input, exitCodes: [0, 128, 129] })
  // git before 2.31 can't tell.
  return exitCode === 0 ? Number(stdout.toString('utf8').trim()) : undefined
}

function folderSpace(store: string): SnapshotSpace {
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
    isFreedLater: false,
  }
}

/** Bytes of all files below a folder; 0 if it isn't there. */
async function bytesBelow(folder: string): Promise<number> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(absent)) ?? []
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await mapParallel(files, 16, ({ parentPath, name }) => lstat(join(parentPath, name)).catch(absent))
  return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0)
}
