import { join, relative, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import type { PartSpec } from '../core/run-config.ts'
import { shellWord } from '../core/wording.ts'
import type { Captured } from '../process/output.ts'
import { blameInGit } from './git-blame.ts'
import { commitFolder } from './git-commit.ts'
import { git } from './git-program.ts'
import {
  findRepository,
  type Head,
  headNotes,
  ignoredAmong,
  ignoredNames,
  type Repository,
  repositoryGone,
  requireRepository,
} from './git-repository.ts'
import { gitMerging } from './git-merge.ts'
import { previewTree, restoreTree } from './git-restore.ts'
import { settingNotes } from './git-settings.ts'
import { openShadow, type Shadow } from './git-shadow.ts'
import { findSnapshot, keepIndex, type KeptSnapshot, requireSameFolder, snapshotsOf } from './git-snapshot.ts'
import { diffText, filesInTree, gitFilesStamp, isAsIndexed, noteSubmodules, readFolder, treeDifference } from './git-tree.ts'
import { fetchMissing, fetchRun, openClone, pushRun } from './git-remote.ts'
import { baseSnapshot, openWorktree, worktreeFolder, worktreeOf, worktreeReadiness } from './git-worktree.ts'
import { parseSnapshotName, requireOwnLabel, START_LABEL } from './snapshot-name.ts'
import type { Observation, Workspace } from './workspace.ts'
import { FLAG, needed, optional, settingsSchema, TEXT } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'

export { dropSnapshots, listSnapshots, type KeptSnapshot } from './git-snapshot.ts'

export interface GitWorkspaceOptions {
  /**
   * The folder a run works on: a repository's top or any folder in it. Snapshots and restores cover only this folder; the rest of the
   * repository is never touched.
   */
  readonly path: string
  /**
   * Let every run work in its own worktree under `<path>/.pawl/worktrees/RUN`, which starts with the folder's present files, including
   * new and uncommitted ones; the folder itself doesn't change. A fresh worktree has no ignored files such as `node_modules` and no
   * submodule contents. Default false.
   */
  readonly worktree?: boolean
  /**
   * A bare repository, as a path or an address, that every snapshot is pushed to before it counts as taken. On a machine without the folder,
   * the run continues from there. Needs `worktree`.
   */
  readonly remote?: string
  /** Where the folder is below the repository's top, for other machines. Default: it is the top. */
  readonly inside?: string
}

/**
 * Keeps every tree of a run as a tag of it under `refs/pawl/RUN/LABEL`, which no `git log` shows, and restores it byte for byte, without touching the user's index,
 * HEAD, branches, stash, reflogs or ignored files. Git keeps only the executable bit of file modes. The files of submodules that a run begins with are
 * kept as plain files; other repositories inside are left out and never change. The command of `howToRestore` is plain git: it leaves files that were added since, and
 * applies the user's filters. `git push --mirror` would publish the refs.
 *
 * @part git
 */
export function gitWorkspace(options: GitWorkspaceOptions): Workspace {
  readOptions('gitWorkspace', OPTIONS, options)
  const { path, worktree = false, remote, inside = '' } = options
  if (remote !== undefined && !worktree)
    throw new PawlError('setting.remote', '`remote` needs `worktree: true`: runs that move between machines work in worktrees.')
  const folder = resolve(path)
  const recorded = { ...(remote === undefined ? {} : { remote }), ...(inside === '' ? {} : { inside }) }
  const spec: PartSpec = { name: 'git', v: 1, settings: { path, worktree, ...recorded } }
  // Looked up once: a folder that an agent deletes can still be restored.
  let project: Repository | undefined
  const shadows = new Map<string, Shadow>()
  /** Snapshots that this process took, by name: no need to ask git for them. */
  const kept = new Map<string, Before>()
  /** The snapshot that is still in its run's index. */
  let lastKept: string | undefined
  const shadowOf = async (run: string, find: typeof worktreeOf = worktreeOf) => {
    project ??= await findRepository(folder)
    const shadow = await openShadow(worktree ? await find(project, run) : project, run)
    shadows.set(run, shadow)
    return shadow
  }
  const readyShadowOf = async (run: string) => {
    const known = shadows.get(run)
    if (known) await requireRepository(known.repository)
    return known ?? shadowOf(run)
  }
  const projectNow = async (): Promise<Repository> => (project ??= await findRepository(folder))
  return {
    spec,
    ...(worktree
      ? {
          async keepStart(run: string) {
            await baseSnapshot(await projectNow(), run)
            if (remote !== undefined) await pushRun(await openShadow(await projectNow(), run), run, remote)
          },
        }
      : {}),
    async open(run, since) {
      if (remote !== undefined) {
        project ??= await openClone(resolve(folder, relative(join('/', inside), '/')), folder, remote)
        await fetchRun(project, run, remote, since)
        shadows.delete(run)
      }
      project ??= await findRepository(folder).catch((error: unknown) => {
        throw since !== undefined && isNoRepository(error) ? repositoryGone(folder, error) : error
      })
      await requireRepository(project)
      const before = await snapshotsOf(project, run)
      if (since !== undefined && !before.some(({ snapshot }) => snapshot === since)) throw repositoryGone(folder)
      const shadow = await shadowOf(run, (repository) => openWorktree(repository, run, since))
      await keepStart(shadow, run, before)
      if (remote !== undefined && since === undefined) await pushRun(shadow, run, remote)
      return { cwd: worktree ? shadow.repository.folder : folder }
    },
    ...(worktree ? { readiness: worktreeReadiness(folder) } : {}),
    async observe(run, label, since) {
      const shadow = await readyShadowOf(run)
      const known = since === undefined ? undefined : kept.get(since)
      const { head, object, ...seen } = await observe(shadow, run, requireOwnLabel(label), since, known)
      if (remote !== undefined) await pushRun(shadow, run, remote, [[seen.snapshot, object]])
      kept.set(seen.snapshot, { tree: seen.tree, head })
      lastKept = seen.snapshot
      return seen
    },
    async stamp(run) {
      return gitFilesStamp(worktree ? (await readyShadowOf(run)).repository.folder : folder)
    },
    async isAsKept(run, snapshot) {
      const shadow = await readyShadowOf(run)
      // The index is still that snapshot's, so git's own comparison is enough.
      if (lastKept === snapshot && (await shadow.withIndex((indexed) => isAsIndexed(shadow, indexed)))) return true
      lastKept = undefined
      return (await previewTree(shadow, await targetIn(shadow, snapshot))).files.length === 0
    },
    async restore(run, snapshot, wish) {
      lastKept = undefined
      const shadow = await readyShadowOf(run)
      const target = await targetIn(shadow, snapshot)
      return restoreTree(shadow, run, await recordedTree(shadow, target, wish?.tree), wish)
    },
    async preview(run, snapshot) {
      lastKept = undefined
      const shadow = await readyShadowOf(run)
      return previewTree(shadow, await targetIn(shadow, snapshot))
    },
    async diff(from, to) {
      project ??= await findRepository(folder)
      if (remote !== undefined) await fetchMissing(project, parseSnapshotName(from).run, remote, [from, to])
      // Worktrees share the snapshots, so the run's own one need not exist.
      return differenceText(await openShadow(project, parseSnapshotName(from).run), from, to)
    },
    async filesOf(snapshot, tree) {
      project ??= await findRepository(folder)
      const { run } = parseSnapshotName(snapshot)
      const shadow = shadows.get(run) ?? (await openShadow(project, run))
      const own = kept.get(snapshot)?.tree
      if (own !== undefined && own === (tree ?? own)) return filesInTree(shadow, own)
      return filesInTree(shadow, (await recordedTree(shadow, await findSnapshot(shadow.repository, snapshot), tree)).tree)
    },
    async leftOut(run) {
      return ignoredNames((await readyShadowOf(run)).repository)
    },
    async ignored(run, globs) {
      return ignoredAmong((await readyShadowOf(run)).repository, globs)
    },
    async commit(run, wanted) {
      return commitFolder((await readyShadowOf(run)).repository, run, wanted)
    },
    merging: gitMerging(async () => (project ??= await findRepository(folder))),
    async blame(request) {
      project ??= await findRepository(folder)
      return blameInGit(project, request)
    },
    howToRestore(snapshot, paths) {
      const { run } = parseSnapshotName(snapshot)
      const place = worktree ? worktreeFolder(folder, run) : folder
      const asTheyWere = '-c core.autocrlf=false -c core.eol=lf'
      return `git -C ${shellWord(place)} ${asTheyWere} restore --overlay --worktree --source=${snapshot} -- ${paths?.map(shellWord).join(' ') ?? '.'}`
    },
  }
}

async function targetIn({ repository }: Shadow, snapshot: string): Promise<KeptSnapshot> {
  const target = await findSnapshot(repository, snapshot)
  requireSameFolder(repository, target)
  return target
}

/** Anyone can move a ref; what the journal says about it stays. */
async function recordedTree(shadow: Shadow, target: KeptSnapshot, tree = target.tree): Promise<KeptSnapshot> {
  if (tree === target.tree) return target
  const found = await shadow.git(['cat-file', '-e', `${tree}^{tree}`], { exitCodes: [0, 1, 128] })
  if (found.exitCode === 0) return { ...target, tree }
  const sentence = `${target.snapshot} was moved to another tree, and the tree ${tree} that the journal knows it as is not in the repository any more: bring its .git back from a copy, or abort the run.`
  throw new PawlError('workspace.snapshot-moved', sentence, { value: target.snapshot })
}

/** Takes the snapshot before the run, the default to compare later trees with. */
async function keepStart(shadow: Shadow, run: string, before: readonly KeptSnapshot[]): Promise<void> {
  const start = startIn(before)
  if (start) return requireSameFolder(shadow.repository, start)
  await requireNotIgnored(shadow.repository)
  await noteSubmodules(shadow)
  await capture(shadow, run, START_LABEL)
}

/** In a folder that its repository ignores, no change would ever show. */
async function requireNotIgnored({ top, folder, prefix }: Repository): Promise<void> {
  if (prefix === '') return
  const asked = await git(['check-ignore', '--quiet', '--stdin'], { cwd: top, input: `./${prefix}`, exitCodes: [0, 1] })
  if (asked.exitCode === 1) return
  throw new PawlError(
    'workspace.folder-ignored',
    `${folder} is ignored by the repository ${top}, so no change in it would be seen; run "git init" there, or work in a folder that is not ignored.`,
    { value: folder },
  )
}

/** What an observation is compared with. */
type Before = Pick<KeptSnapshot, 'tree' | 'head'>

async function observe(
  shadow: Shadow,
  run: string,
  label: string,
  since?: string,
  known?: Before,
): Promise<Observation & { readonly head: Head; readonly object: string }> {
  // Looked up first, because `label` may be the name to compare with.
  const before = known ?? (await beforeIn(shadow, run, since))
  const { tree, leftOut, repositories, snapshot, object, head } = await capture(shadow, run, label)
  const news = [...(await headNotes(shadow.repository, before?.head, head)), ...(await settingNotes(shadow, repositories))]
  const notes = [...news, ...leftOut.map((line) => `left out: ${line}`)]
  const from = before?.tree ?? tree
  const same = { tree, snapshot, object, head, notes, leftOut: leftOut.length }
  if (from === tree) return { ...same, files: [], insertions: 0, deletions: 0, diff: { text: '', bytesCut: 0 } }
  const [difference, diff] = await Promise.all([treeDifference(shadow, from, tree), diffText(shadow, from, tree)])
  return { ...same, ...difference, diff }
}

async function beforeIn({ repository }: Shadow, run: string, since: string | undefined): Promise<Before | undefined> {
  return since === undefined ? startIn(await snapshotsOf(repository, run)) : findSnapshot(repository, since)
}

function startIn(snapshots: readonly KeptSnapshot[]): KeptSnapshot | undefined {
  return snapshots.find(({ label }) => label === START_LABEL)
}

function isNoRepository(error: unknown): boolean {
  return error instanceof PawlError && error.code === 'workspace.not-a-repository'
}

async function capture(shadow: Shadow, run: string, label: string) {
  return shadow.withIndex(async (indexed) => {
    const read = await readFolder(shadow, indexed)
    return { ...read, ...(await keepIndex(shadow, indexed, run, label)) }
  })
}

async function differenceText(shadow: Shadow, from: string, to: string): Promise<Captured> {
  const [before, after] = [await findSnapshot(shadow.repository, from), await findSnapshot(shadow.repository, to)]
  return diffText(shadow, before.tree, after.tree)
}

const OPTIONS = settingsSchema({ path: needed(TEXT), worktree: optional(FLAG), remote: optional(TEXT), inside: optional(TEXT) })
