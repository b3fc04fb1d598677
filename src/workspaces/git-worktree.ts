import { mkdir, readdir, readFile, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { absent, exists, readableName, requireOwnPlace } from './files-on-disk.ts'
import { git, rawNames } from './git-program.ts'
import { commitAt, findRepository, headCommit, type Repository } from './git-repository.ts'
import { restoreTree } from './git-restore.ts'
import { openShadow } from './git-shadow.ts'
import { findSnapshot, keepSaved, keepTree, type KeptSnapshot, requireSameFolder, snapshotsOf } from './git-snapshot.ts'
import { captureTree, noteSubmodules, treeChanges } from './git-tree.ts'
import type { Workspace } from './workspace.ts'
import { requireName, snapshotName, START_LABEL, WORKTREE_LABEL } from './snapshot-name.ts'

/**
 * Creates a run's own worktree, or opens it again: detached at the user's commit, with the user's present files, including uncommitted
 * and new ones, so that `git status` says the same as in the user's folder. A deleted worktree is created again with the files of
 * `since`, or else of the run's last observation.
 */
export async function openWorktree(project: Repository, run: string, since?: string): Promise<Repository> {
  const folder = worktreeFolder(project.folder, run)
  await requireOwnPlace(folder)
  const wasReady = (await exists(readyMark(folder))) || (await hasStarted(project, run))
  if (!(wasReady && (await exists(folder)))) {
    const base = await baseSnapshot(project, run)
    // Nobody has worked there yet: a killed `open` left it.
    await rm(folder, { recursive: true, force: true })
    await addWorktree(project, run, folder, base)
    if (wasReady) await restoreLast(project, run, since)
    await writeFile(readyMark(folder), '')
  }
  return worktreeOf(project, run)
}

/** The run's worktree with the same subfolder as the user's; rejects if it was never opened. */
export async function worktreeOf(project: Repository, run: string): Promise<Repository> {
  const folder = worktreeFolder(project.folder, run)
  await requireOwnPlace(folder)
  if (!(await exists(folder))) {
    throw new PawlError(
      'workspace.worktree-missing',
      `The worktree ${folder} of run "${run}" doesn't exist: resume the run, and Pawl creates it again.`,
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

/** Where the worktrees of a folder's runs are: inside it, because programs look upwards for their packages. */
function worktreesFolder(projectFolder: string): string {
  return join(projectFolder, '.pawl', 'worktrees')
}

/** The file that marks a worktree as complete. */
function readyMark(folder: string): string {
  return `${folder}.ready`
}

/** What a worktree was made ready with: noted in the file that marks it as complete. */
export function worktreeReadiness(projectFolder: string): NonNullable<Workspace['readiness']> {
  const mark = (run: string): string => readyMark(worktreeFolder(projectFolder, run))
  return {
    read: async (run) => (await readFile(mark(run), 'utf8').catch(absent)) ?? '',
    write: (run, by) => writeFile(mark(run), by),
  }
}

/** The first snapshot of a worktree is taken when it is ready. */
async function hasStarted(project: Repository, run: string): Promise<boolean> {
  return (await snapshotsOf(project, run)).some(({ label }) => label === START_LABEL)
}

/** The whole repository's tree as it was when the run was first opened. */
export async function baseSnapshot(project: Repository, run: string): Promise<KeptSnapshot> {
  const whole = wholeOf(project)
  const name = snapshotName(run, WORKTREE_LABEL)
  const kept = (await snapshotsOf(project, run)).find(({ snapshot }) => snapshot === name)
  if (kept) {
    // A repository made for fetched snapshots has those of the user's, whatever work tree that was.
    if ((await headCommit(project)) !== undefined) requireSameFolder(whole, kept)
    return kept
  }
  const shadow = await openShadow(whole, run)
  await noteSubmodules(shadow)
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
  const commit = (await headCommit(project)) ?? (await commitOf(project, base)) ?? (await firstCommit(project, run, base))
  await git(['worktree', 'add', '--force', '--force', '--detach', '--no-checkout', folder, commit], { cwd: project.top })
  const worktree = wholeOf(await registeredWorktree(project, folder))
  const shadow = await openShadow(worktree, run)
  await shadow.withIndex((indexed) => indexed(['read-tree', '-m', '-u', base.tree], { cwd: folder }))
  // That index holds the whole repository, while snapshots hold the run's folder only.
  await shadow.forgetIndex()
  await git(['read-tree', commit], { cwd: folder })
  await addSubmoduleFolders(worktree)
}

/** The commit that was checked out when the run began: a repository made for fetched snapshots has nothing checked out. */
async function commitOf(project: Repository, { head }: KeptSnapshot): Promise<string | undefined> {
  return head?.commit === undefined ? undefined : commitAt(project, head.commit)
}

/** A worktree needs a commit, also in a repository that has none yet. */
async function firstCommit(project: Repository, run: string, { tree }: KeptSnapshot): Promise<string> {
  const shadow = await openShadow(wholeOf(project), run)
  return (await shadow.git(['commit-tree', '--no-gpg-sign', '-m', `pawl ${run}`, tree])).stdout.toString('utf8').trim()
}

/** Submodules that aren't populated stay empty, but without their folders they would count as deleted. */
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
  // Two snapshots of the same second have no order.
  const last = observed.find(({ snapshot }) => snapshot === since) ?? observed.at(-1)
  if (last) await restoreTree(await openShadow(await worktreeOf(project, run), run), run, last)
}

/** The whole work tree instead of a folder in it. */
function wholeOf(repository: Repository): Repository {
  return { ...repository, prefix: '', folder: repository.top }
}

/**
 * The repository of a worktree of ours. If git no longer knows it (the project was moved, the registration pruned, the `.git` file
 * deleted), registers it again without changing its files.
 */
async function registeredWorktree(project: Repository, folder: string): Promise<Repository> {
  return (await knownWorktree(project, folder)) ?? (await registerAgain(project, folder))
}

async function knownWorktree(project: Repository, folder: string): Promise<Repository | undefined> {
  const found = await findRepository(folder).catch((error: unknown) => {
    if (!(error instanceof PawlError) || error.code !== 'workspace.not-a-repository') throw error
  })
  const isOurs = found?.top === (await realpath(folder)) && found.commonDir === project.commonDir
  return isOurs ? found : undefined
}

/** By hand, because `git worktree repair` fixes a wrong path but not a missing registration. */
async function registerAgain(project: Repository, folder: string): Promise<Repository> {
  const link = join(folder, '.git')
  const before = (await readFile(link, 'utf8').catch(absent))?.trim()
  // An agent may have written the line.
  const name = basename(before ?? folder)
  const registration = join(project.commonDir, 'worktrees', /^\.*$/.test(name) ? basename(folder) : name)
  const taken = (await readFile(join(registration, 'gitdir'), 'utf8').catch(absent))?.trim()
  if (taken !== undefined && taken !== link && (await exists(taken))) {
    throw new PawlError(
      'workspace.worktree-lost',
      `git uses the name of ${folder} for ${taken} now; move one of them and try again.`,
    )
  }
  await mkdir(registration, { recursive: true })
  await writeFile(join(registration, 'gitdir'), `${link}\n`)
  await writeFile(join(registration, 'commondir'), '../..\n')
  if (!(await exists(join(registration, 'HEAD')))) {
    await writeFile(join(registration, 'HEAD'), `${(await headCommit(project)) ?? 'ref: refs/heads/pawl'}\n`)
  }
  await writeFile(link, `gitdir: ${registration}\n`)
  const found = await findRepository(folder)
  if (!(await exists(join(registration, 'index'))) && (await headCommit(found))) await git(['read-tree', 'HEAD'], { cwd: folder })
  return found
}

/** What is only in a run's worktree and in no snapshot. Paths are relative to the worktree. */
export interface WorktreeLosses {
  /** Ignored files and whole folders. */
  readonly ignored: readonly string[]
  /** What snapshots leave out: nested repositories, unreadable files. One line each. */
  readonly leftOut: readonly string[]
  /** Changes outside the run's folder, if that isn't the repository's top. */
  readonly outside: readonly string[]
  /** Commits that nothing else refers to, the newest first. */
  readonly commits: readonly string[]
}

/** The runs that have their own worktree in the folder `path`. */
export async function listWorktrees(path: string): Promise<readonly string[]> {
  const entries = (await readdir(worktreesFolder(path), { withFileTypes: true }).catch(absent)) ?? []
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name)
}

/** What would be lost with a run's worktree; `undefined` if there is no worktree. */
export async function worktreeLosses(path: string, run: string): Promise<WorktreeLosses | undefined> {
  const project = await findRepository(path)
  if (!(await exists(worktreeFolder(project.folder, run)))) return undefined
  const worktree = await worktreeOf(project, run)
  const outside = await changedOutside(worktree, run)
  const commits = await ownCommits(project, worktree)
  const shadow = await openShadow(worktree, run)
  return shadow.withIndex(async (indexed) => {
    const { leftOut } = await captureTree(shadow, indexed)
    const asked = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory', '--no-empty-directory']
    const ignored = rawNames((await indexed(asked)).stdout).map(readableName)
    return { ignored, leftOut, outside, commits }
  })
}

/**
 * Removes a run's own worktree and its registration. Saves its files first, unless a snapshot of the run already has them. Snapshots
 * stay, and a resumed run gets a new worktree. Returns the name of the snapshot with the files.
 */
export async function removeWorktree(path: string, run: string): Promise<{ readonly folder: string; readonly keptAs: string }> {
  const project = await findRepository(path)
  const folder = worktreeFolder(project.folder, run)
  const worktree = await worktreeOf(project, run)
  const keptAs = await keepPresent(worktree, run)
  // Renamed first: a process killed in the middle must not leave half of the files for a resumed run.
  const aside = join(dirname(folder), `${ASIDE}${basename(folder)}`)
  await rm(aside, { recursive: true, force: true })
  await rename(folder, aside)
  await rm(readyMark(folder), { force: true })
  await forgetRegistration(project, worktree)
  await rm(aside, { recursive: true, force: true })
  return { folder, keptAs }
}

/** Removes the rest of worktrees whose removal was killed. */
export async function removeLeftovers(path: string): Promise<void> {
  const names = (await readdir(worktreesFolder(path)).catch(absent)) ?? []
  for (const name of names.filter((each) => each.startsWith(ASIDE)))
    await rm(join(worktreesFolder(path), name), { recursive: true, force: true })
}

/** No run has such a name: run names begin with another character. */
const ASIDE = '.removing-'

async function keepPresent(worktree: Repository, run: string): Promise<string> {
  const shadow = await openShadow(worktree, run)
  const { tree } = await shadow.withIndex((indexed) => captureTree(shadow, indexed))
  const all = (await snapshotsOf(worktree, run)).filter(({ label }) => label !== WORKTREE_LABEL)
  return all.findLast((each) => each.tree === tree)?.snapshot ?? keepSaved(shadow, run, tree)
}

/** Snapshots contain only the run's folder, but its worktree the whole repository. */
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

/** Like `git worktree remove`, which refuses some that can be removed. */
async function forgetRegistration({ commonDir }: Repository, { gitDir }: Repository): Promise<void> {
  if (dirname(gitDir) !== join(commonDir, 'worktrees')) return
  await rm(gitDir, { recursive: true, force: true })
  // Works only if it was the last one.
  await rmdir(dirname(gitDir)).catch(() => undefined)
}
