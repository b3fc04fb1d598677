import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { absent, exists, mapParallel, readableName } from './files-on-disk.ts'
import { git } from './git-program.ts'
import { findRepository, type Repository } from './git-repository.ts'
import { dropSnapshots, folderIdentity, snapshotsOf } from './git-snapshot.ts'
import { removeWorktree, worktreeFolder } from './git-worktree.ts'
import { snapshotName, START_LABEL } from './snapshot-name.ts'
import type { SnapshotSpace } from './workspace.ts'

/** The space of snapshots in a git repository. */
export function gitSpace(path: string): SnapshotSpace {
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
    labels: async (run) => (await snapshotsOf(await findRepository(path), run)).map(({ label }) => label),
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

/** Bytes of all files below a folder; 0 if it isn't there. */
async function bytesBelow(folder: string): Promise<number> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(absent)) ?? []
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await mapParallel(files, 16, ({ parentPath, name }) => lstat(join(parentPath, name)).catch(absent))
  return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0)
}
