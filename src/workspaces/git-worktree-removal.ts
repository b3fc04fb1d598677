import { readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { treeChanges } from './git-difference.ts'
import { git, rawNames, readableName } from './git-program.ts'
import { findRepository, headCommit, type Repository } from './git-repository.ts'
import { openShadow } from './git-shadow.ts'
import { keepSaved, snapshotsOf } from './git-snapshot.ts'
import { captureTree } from './git-tree.ts'
import { readyMark, wholeOf, worktreeFolder, worktreeOf, worktreesFolder } from './git-worktree.ts'
import { absent, isThere } from './is-there.ts'
import { snapshotName, WORKTREE_LABEL } from './snapshot-name.ts'

/** What of a run's own worktree is in no snapshot and would be gone with it. Paths are relative to the worktree. */
export interface WorktreeLosses {
  /** Ignored files and folders, a folder as one. */
  readonly ignored: readonly string[]
  /** What snapshots leave out: other repositories, what cannot be read. One line each. */
  readonly leftOut: readonly string[]
  /** Changed outside the run's folder, where that is below the repository's top. */
  readonly outside: readonly string[]
  /** Commits that nothing else leads to, the newest first. */
  readonly commits: readonly string[]
}

/** The runs that have a worktree of their own in the folder `path`. */
export async function listWorktrees(path: string): Promise<readonly string[]> {
  const entries = (await readdir(worktreesFolder(path), { withFileTypes: true }).catch(absent)) ?? []
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name)
}

/** Looks for what would be lost with a run's worktree; `undefined` where there is none. */
export async function worktreeLosses(path: string, run: string): Promise<WorktreeLosses | undefined> {
  const project = await findRepository(path)
  if (!(await isThere(worktreeFolder(project.folder, run)))) return undefined
  const worktree = await worktreeOf(project, run)
  const outside = await changedOutside(worktree, run)
  const commits = await ownCommits(project, worktree)
  const shadow = await openShadow(worktree, run)
  return shadow.withIndex(async (indexed) => {
    const { notes } = await captureTree(shadow, indexed)
    const asked = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory', '--no-empty-directory']
    const ignored = rawNames((await indexed(asked)).stdout).map(readableName)
    return { ignored, leftOut: notes, outside, commits }
  })
}

/**
 * Removes a run's own worktree, and what git knows of it. Its files are kept first, as a restore keeps them, unless a snapshot of the run has
 * them already. Snapshots stay; whoever goes on with the run gets a worktree anew. Answers with the name under which the files are kept.
 */
export async function removeWorktree(path: string, run: string): Promise<{ readonly folder: string; readonly keptAs: string }> {
  const project = await findRepository(path)
  const folder = worktreeFolder(project.folder, run)
  const worktree = await worktreeOf(project, run)
  const keptAs = await keepPresent(worktree, run)
  // At one stroke: a process killed in the middle must not leave half of the files for a run that goes on.
  const aside = join(dirname(folder), `${ASIDE}${basename(folder)}`)
  await rm(aside, { recursive: true, force: true })
  await rename(folder, aside)
  await rm(readyMark(folder), { force: true })
  await forgetRegistration(project, worktree)
  await rm(aside, { recursive: true, force: true })
  return { folder, keptAs }
}

/** Removes what a process that was killed while it removed a worktree left of it. */
export async function removeLeftovers(path: string): Promise<void> {
  const names = (await readdir(worktreesFolder(path)).catch(absent)) ?? []
  for (const name of names.filter((each) => each.startsWith(ASIDE)))
    await rm(join(worktreesFolder(path), name), { recursive: true, force: true })
}

/** No run is named so: their names begin with another character. */
const ASIDE = '.removing-'

async function keepPresent(worktree: Repository, run: string): Promise<string> {
  const shadow = await openShadow(worktree, run)
  const { tree } = await shadow.withIndex((indexed) => captureTree(shadow, indexed))
  const all = (await snapshotsOf(worktree, run)).filter(({ label }) => label !== WORKTREE_LABEL)
  return all.findLast((each) => each.tree === tree)?.snapshot ?? keepSaved(shadow, run, tree)
}

/** Snapshots have the run's folder only, while its worktree has the whole repository. */
async function changedOutside(worktree: Repository, run: string): Promise<readonly string[]> {
  if (worktree.prefix === '') return []
  const base = (await snapshotsOf(worktree, run)).find(({ snapshot }) => snapshot === snapshotName(run, WORKTREE_LABEL))
  if (!base) return []
  const shadow = await openShadow(wholeOf(worktree), run)
  await shadow.forgetIndex()
  const { tree } = await shadow.withIndex((indexed) => captureTree(shadow, indexed))
  // That index holds the whole repository, while snapshots hold the run's folder only.
  await shadow.forgetIndex()
  const changes = await treeChanges(shadow, base.tree, tree)
  return changes.filter(({ name }) => !name.startsWith(worktree.prefix)).map(({ name }) => readableName(name))
}

async function ownCommits(project: Repository, worktree: Repository): Promise<readonly string[]> {
  const head = await headCommit(project)
  const known = ['--not', '--glob=refs/*', ...(head === undefined ? [] : [head])]
  const listed = await git(['rev-list', 'HEAD', ...known], { cwd: worktree.top, exitCodes: [0, 128] })
  return listed.stdout.toString('utf8').split('\n').slice(0, -1)
}

/** As `git worktree remove` does it, which refuses some that we can remove. */
async function forgetRegistration({ commonDir }: Repository, { gitDir }: Repository): Promise<void> {
  if (dirname(gitDir) !== join(commonDir, 'worktrees')) return
  await rm(gitDir, { recursive: true, force: true })
  // Only where it was the last one.
  await rmdir(dirname(gitDir)).catch(() => undefined)
}
