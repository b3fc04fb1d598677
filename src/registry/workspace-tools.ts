import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PartSpec } from '../core/run-config.ts'
import { filesStamp, namesBelow } from '../workspaces/files-stamp.ts'
import { manifestPath } from '../workspaces/folder-store.ts'
import { git, withoutOwnFilters } from '../workspaces/git-program.ts'
import { gitFilesStamp } from '../workspaces/git-tree.ts'
import { dropSnapshots } from '../workspaces/git-workspace.ts'
import { unifiedDiff } from '../workspaces/diff.ts'
import { folderSpace } from '../workspaces/folder-space.ts'
import { gitSpace } from '../workspaces/git-space.ts'
import type { SnapshotSpace } from '../workspaces/workspace.ts'

/** The worktrees that runs have for themselves. */
export {
  listWorktrees,
  removeLeftovers,
  removeWorktree,
  worktreeLosses,
  type WorktreeLosses,
} from '../workspaces/git-worktree.ts'

export type { SnapshotSpace } from '../workspaces/workspace.ts'

/** The state of a repository's files. */
export { gitFilesStamp }

/** The state of a folder's files, as one text that differs once a file was written, added or removed. */
export async function folderStamp(folder: string, isGit: boolean): Promise<string> {
  const { stamp } = isGit ? await gitFilesStamp(folder) : await filesStamp(folder, await namesBelow(folder))
  return stamp
}

/** Those of the files that git has in its index: others get a change of theirs with the next commit. */
export async function trackedFiles(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout } = await git(['ls-files', '-z', '--', ...paths], { cwd: folder, exitCodes: [0, 128] })
  return exitCode === 0
    ? stdout
        .toString('utf8')
        .split('\0')
        .filter((name) => name !== '')
    : []
}

/**
 * Forgets snapshots with these labels and says which were dropped; the files stay as they are. Of plain copies only the names go: their
 * contents may be those of other snapshots.
 */
export async function dropLabels(
  { name, settings }: PartSpec,
  run: string,
  labels: readonly string[],
): Promise<readonly string[]> {
  const path = String(settings['path'])
  if (labels.length === 0) return []
  if (name === 'git') return dropSnapshots(path, run, labels)
  const names = labels.map((label) => `refs/pawl/${run}/${label}`)
  const copies = String(settings['store'] ?? join(path, '.pawl', 'snapshots'))
  await Promise.all(names.map((each) => rm(manifestPath(copies, each), { force: true })))
  return names
}

/** The space of the snapshots in a workspace. */
export function snapshotSpace({ name, settings }: PartSpec): SnapshotSpace {
  const path = String(settings['path'])
  return name === 'git' ? gitSpace(path) : folderSpace(String(settings['store'] ?? join(path, '.pawl', 'snapshots')))
}

/** What is changed in a git repository since its last commit, the first `bytesMax` bytes of it; nothing if there is no commit. */
export async function workingDiff(path: string, bytesMax: number): Promise<string> {
  const args = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--ignore-submodules=all', 'HEAD']
  const { exitCode, stdout } = await git(args, { cwd: path, env: await withoutOwnFilters(path, false), exitCodes: [0, 128] })
  return exitCode === 0
    ? stdout
        .subarray(0, bytesMax)
        .toString('utf8')
        .replace(/\uFFFD+$/, '')
    : ''
}

/** How a file differs, as lines of a patch; `undefined` is a file that isn't there. */
export function fileDiff(path: string, before: string | undefined, after: string | undefined): readonly string[] {
  const { text } = unifiedDiff(path, fileVersion(before), fileVersion(after))
  return text.toString('utf8').trimEnd().split('\n').slice(1)
}

function fileVersion(text: string | undefined) {
  return text === undefined ? undefined : { mode: '100644', content: Buffer.from(text) }
}
