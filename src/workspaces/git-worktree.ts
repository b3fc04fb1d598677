import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { git, rawNames, readableName } from './git-program.ts'
import { headCommit, type Repository } from './git-repository.ts'
import { restoreTree } from './git-restore.ts'
import { openShadow } from './git-shadow.ts'
import { findSnapshot, keepTree, snapshotsOf, requireSameFolder, type KeptSnapshot } from './git-snapshot.ts'
import { captureTree } from './git-tree.ts'
import { registeredWorktree } from './git-worktree-registration.ts'
import { isThere } from './is-there.ts'
import { requireName, snapshotName, START_LABEL, WORKTREE_LABEL } from './snapshot-name.ts'

/**
 * Makes a run's own worktree, or finds it again: detached at the user's commit, with the user's present files, uncommitted and
 * new ones included, so that `git status` says there what it says in the user's folder. A folder that was deleted is made anew
 * with the files of `since`, or else of the run's last observation.
 */
export async function openWorktree(project: Repository, run: string, since?: string): Promise<Repository> {
  const folder = worktreeFolder(project.folder, run)
  const wasReady = (await isThere(readyMark(folder))) || (await hasStarted(project, run))
  if (!(wasReady && (await isThere(folder)))) {
    const base = await baseSnapshot(project, run)
    // Nobody has worked there yet: it is what an `open` that was killed left behind.
    await rm(folder, { recursive: true, force: true })
    await addWorktree(project, run, folder, base)
    if (wasReady) await restoreLast(project, run, since)
    await writeFile(readyMark(folder), '')
  }
  return worktreeOf(project, run)
}

/** The run's worktree with the same subfolder as the user's; refuses when it was never opened. */
export async function worktreeOf(project: Repository, run: string): Promise<Repository> {
  const folder = worktreeFolder(project.folder, run)
  if (!(await isThere(folder))) {
    throw new PawlError(
      'workspace.worktree-missing',
      `The worktree ${folder} of run "${run}" is not there: resume the run, and it is made anew.`,
    )
  }
  const found = await registeredWorktree(project, folder)
  const repository = { ...found, prefix: project.prefix, folder: resolve(found.top, readableName(project.prefix)) }
  await mkdir(repository.folder, { recursive: true })
  return repository
}

/** Where a run's own worktree is. */
export function worktreeFolder(projectFolder: string, run: string): string {
  return join(worktreesFolder(projectFolder), requireName('run id', run))
}

/** Where the worktrees of all runs of a folder are: inside it, for programs look for their packages upwards. */
export function worktreesFolder(projectFolder: string): string {
  return join(projectFolder, '.pawl', 'worktrees')
}

/** The file that says that a worktree is whole. */
export function readyMark(folder: string): string {
  return `${folder}.ready`
}

/** The first snapshot of a worktree is made when it is ready. */
async function hasStarted(project: Repository, run: string): Promise<boolean> {
  return (await snapshotsOf(project, run)).some(({ label }) => label === START_LABEL)
}

/** The whole repository's tree as it was when the run was first opened. */
async function baseSnapshot(project: Repository, run: string): Promise<KeptSnapshot> {
  const whole = wholeOf(project)
  const name = snapshotName(run, WORKTREE_LABEL)
  const kept = (await snapshotsOf(project, run)).find(({ snapshot }) => snapshot === name)
  if (kept) {
    requireSameFolder(whole, kept)
    return kept
  }
  const shadow = await openShadow(whole, run)
  await shadow.withIndex(async (indexed) => {
    const { tree } = await captureTree(shadow, indexed)
    await keepTree(shadow, run, WORKTREE_LABEL, tree)
  })
  return findSnapshot(project, name)
}

async function addWorktree(project: Repository, run: string, folder: string, base: KeptSnapshot): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  // The user's own `git add` must not take the worktrees for nested repositories.
  await writeFile(join(dirname(folder), '.gitignore'), '*\n')
  const commit = (await headCommit(project)) ?? base.commit
  await git(['worktree', 'add', '--force', '--force', '--detach', '--no-checkout', folder, commit], { cwd: project.top })
  const worktree = wholeOf(await registeredWorktree(project, folder))
  const shadow = await openShadow(worktree, run)
  await shadow.withIndex((indexed) => indexed(['read-tree', '-m', '-u', base.tree], { cwd: folder }))
  // That index holds the whole repository, while snapshots hold the run's folder only.
  await shadow.forgetIndex()
  await git(['read-tree', commit], { cwd: folder })
  await addSubmoduleFolders(worktree)
}

/** Submodules are not filled, but without their folders they would count as deleted. */
async function addSubmoduleFolders(worktree: Repository): Promise<void> {
  const staged = rawNames((await git(['ls-files', '-z', '--stage'], { cwd: worktree.top })).stdout)
  for (const line of staged) {
    if (!line.startsWith('160000')) continue
    await mkdir(join(worktree.top, readableName(line.slice(line.indexOf('\t') + 1))), { recursive: true })
  }
}

async function restoreLast(project: Repository, run: string, since: string | undefined): Promise<void> {
  const observed = (await snapshotsOf(project, run)).filter(
    ({ label }) => label !== WORKTREE_LABEL && !label.startsWith('saved-'),
  )
  // Two that were kept in the same second are in no order.
  const last = observed.find(({ snapshot }) => snapshot === since) ?? observed.at(-1)
  if (last) await restoreTree(await openShadow(await worktreeOf(project, run), run), run, last)
}

/** The whole work tree and not a folder in it. */
export function wholeOf(repository: Repository): Repository {
  return { ...repository, prefix: '', folder: repository.top }
}
