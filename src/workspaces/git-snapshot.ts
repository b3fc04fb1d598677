import { readdir, rm } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { absent, syncFolder } from './files-on-disk.ts'
import { git, IN_USERS_REPOSITORY } from './git-program.ts'
import { findRepository, type Head, headIn, headLine, readHead, type Repository } from './git-repository.ts'
import { type IndexedGit, shadowFolder, type Shadow } from './git-shadow.ts'
import { parseSnapshotName, requireName, savedLabel, snapshotMissing, snapshotName } from './snapshot-name.ts'

/**
 * A tree kept under a name: a tag object of the tree. `git log --all` shows no tags of trees, so the user's history stays as it was, while
 * `git gc` keeps what a ref holds. Versions before kept commits without parents, which are found and restored the same way.
 */
export interface KeptSnapshot {
  /** `refs/pawl/RUN/LABEL`. */
  readonly snapshot: string
  readonly label: string
  /** The tag, or the commit that an older version kept. */
  readonly object: string
  readonly tree: string
  /** The work tree and the folder in it that were kept. */
  readonly folder: string
  /** When it was kept, in milliseconds since the epoch (whole seconds). */
  readonly at: number
  /** What was checked out then; absent in snapshots that older versions kept. */
  readonly head?: Head
}

/** The snapshots of a run in the repository of `path`, oldest first; empty when there are none. */
export async function listSnapshots(path: string, run: string): Promise<readonly KeptSnapshot[]> {
  return snapshotsOf(await findRepository(path), run)
}

/**
 * Drops snapshots of a run, all of them where no labels are given, and answers with the names dropped. The files in the folder
 * and a run's own worktree stay as they are; git frees the space at its next clean-up.
 */
export async function dropSnapshots(path: string, run: string, labels?: readonly string[]): Promise<readonly string[]> {
  const repository = await findRepository(path)
  const all = await snapshotsOf(repository, run)
  const dropped = all.filter(({ label }) => labels === undefined || labels.includes(label)).map(({ snapshot }) => snapshot)
  const input = dropped.map((name) => `delete ${name}\n`).join('')
  await git(['update-ref', '--stdin'], { cwd: repository.top, input })
  // The kept index may hold objects that nothing else holds any more.
  for (const gitDir of await gitDirs(repository)) {
    const shadow = shadowFolder(gitDir, run)
    await rm(labels === undefined ? shadow : join(shadow, 'index'), { recursive: true, force: true })
  }
  return dropped
}

/** Keeps a tree under a label; with `isNew` it refuses to move a name that is taken. */
export async function keepTree(shadow: Shadow, run: string, label: string, tree: string, isNew = false): Promise<string> {
  const { snapshot } = await keep(shadow, { run, label }, 'tree=$3', [tree, ...(isNew ? [NOTHING_THERE] : [])], shadow)
  return snapshot
}

/** Keeps a tree under the next free name of those that were saved before something changed the files. */
export async function keepSaved(shadow: Shadow, run: string, tree: string): Promise<string> {
  const counts = (await snapshotsOf(shadow.repository, run)).map(({ label }) => Number(/^saved-(\d+)$/.exec(label)?.[1] ?? 0))
  return keepTree(shadow, run, savedLabel(Math.max(0, ...counts) + 1), tree, true)
}

/** Keeps the tree of what the index holds now. */
export async function keepIndex(shadow: Shadow, indexed: IndexedGit, run: string, label: string): Promise<JustKept> {
  return keep(shadow, { run, label }, 'tree=$(git write-tree) || exit', [], indexed)
}

type JustKept = Pick<KeptSnapshot, 'snapshot' | 'object' | 'tree'> & { readonly head: Head }

async function keep(
  { repository }: Shadow,
  { run, label }: { readonly run: string; readonly label: string },
  tree: string,
  more: readonly string[],
  place: Pick<Shadow, 'script'>,
): Promise<JustKept> {
  const snapshot = snapshotName(run, label)
  const head = await readHead(repository)
  const message = `pawl ${run} ${label} ${folderIdentity(repository)}\n\n${headLine(head)}\n`
  const tagger = `tag ${label}\ntagger Pawl <pawl@localhost> ${Math.floor(Date.now() / 1000)} +0000`
  const script = { command: 'mktag', lines: `${tree}\n${KEEP}`, arguments: [`${tagger}\n\n${message}`, snapshot, ...more] }
  const [written] = await place.script(script)
  await syncFolder(join(repository.commonDir, 'refs', 'pawl', run))
  const [keptTree = '', object = ''] = String(written).trim().split(' ')
  return { snapshot, object, tree: keptTree, head }
}

/** `$1` is the rest of the tag, `$2` the name, `$4`, where it is given, what the name has to stand for until now. */
const KEEP = `object=$(printf 'object %s\\ntype tree\\n%s' "$tree" "$1" | git mktag) || exit
${IN_USERS_REPOSITORY}
git update-ref "$2" "$object" \${4+"$4"} || exit
printf '%s %s' "$tree" "$object"`

/** To git: the name must be a new one. */
const NOTHING_THERE = ''

/** Finds a snapshot by name; refuses one that does not exist, and says which there are. */
export async function findSnapshot(repository: Repository, name: string): Promise<KeptSnapshot> {
  const { run } = parseSnapshotName(name)
  const all = await snapshotsOf(repository, run)
  const found = all.find(({ snapshot }) => snapshot === name)
  if (found) return found
  throw snapshotMissing(
    name,
    all.map(({ label }) => label),
  )
}

/** The snapshots of a run, oldest first. */
export async function snapshotsOf(repository: Repository, run: string): Promise<KeptSnapshot[]> {
  const args = ['for-each-ref', '--sort=creatordate', `--format=${FORMAT}`, `refs/pawl/${requireName('run id', run)}/`]
  const listed = (await git(args, { cwd: repository.top })).stdout.toString('utf8').split('\0\n').slice(0, -1)
  return listed.map((each) => {
    const [snapshot = '', object = '', ofCommit = '', ofTag = '', seconds = '', subject = '', body = ''] = each.split('\0')
    const tree = ofCommit || ofTag
    const folder = subject.split(' ').slice(3).join(' ')
    const head = headIn(body)
    const at = Number(seconds) * 1000
    return { snapshot, label: parseSnapshotName(snapshot).label, object, tree, folder, at, ...(head ? { head } : {}) }
  })
}

/** Refuses a snapshot of another folder: the same run id in a sister folder or worktree shares our refs. */
export function requireSameFolder(repository: Repository, { snapshot, folder }: KeptSnapshot): void {
  if (folder === folderIdentity(repository)) return
  throw new PawlError(
    'workspace.run-elsewhere',
    `${snapshot} belongs to another folder of this repository (${folder}); use another run id here, or work there.`,
    { value: snapshot },
  )
}

const FORMAT =
  '%(refname)%00%(objectname)%00%(tree)%00%(object)%00%(creatordate:unix)%00%(contents:subject)%00%(contents:body)%00'
const OWN_WORKTREE = /[\\/]\.pawl[\\/]worktrees[\\/][^\\/]+$/

/** Whether a work tree is one that Pawl made for a run. */
export function isOwnWorktree(top: string): boolean {
  return OWN_WORKTREE.test(top)
}

/** Which work tree and which folder in it, in words that survive a move of the repository. */
export function folderIdentity({ commonDir, gitDir, prefix, top }: Repository): string {
  const workTree = isOwnWorktree(top) ? 'own' : relative(commonDir, gitDir) || 'main'
  return `${workTree}:${encodeURI(prefix)}`
}

async function gitDirs({ commonDir }: Repository): Promise<string[]> {
  const worktrees = join(commonDir, 'worktrees')
  const names = (await readdir(worktrees).catch(absent)) ?? []
  return [commonDir, ...names.map((name) => resolve(worktrees, name))]
}
