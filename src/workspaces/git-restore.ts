import { constants } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, mkdtemp, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FileChange } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import { shellWord } from '../core/wording.ts'
import { absent, exists, filesBelow, occupantOf, onDisk, putInside, readableName, removeInside } from './files-on-disk.ts'
import { gitFailure, nulEnded, rawNames } from './git-program.ts'
import { branchWords, readHead, type Repository } from './git-repository.ts'
import type { IndexedGit, Shadow } from './git-shadow.ts'
import { findSnapshot, isOwnWorktree, keepSaved, type KeptSnapshot } from './git-snapshot.ts'
import { addByName, captureTree, removeByName, type TreeChange, treeChanges, withoutOwnOutput, writeTree } from './git-tree.ts'
import type { OtherBranch, Restoration, RestoreOptions, RestorePreview } from './workspace.ts'

/**
 * Saves the present tree, then makes the folder equal to `target`. If it is killed and called again, it completes and returns the tree
 * that was saved first. If a file changes meanwhile, it starts over; after a few attempts it gives up with everything saved.
 */
export async function restoreTree(
  shadow: Shadow,
  run: string,
  wanted: KeptSnapshot,
  { onAnyBranch = false }: RestoreOptions = {},
): Promise<Restoration> {
  const target = { ...wanted, tree: await withoutOwnOutput(shadow, wanted.tree) }
  const stayed = new Set<string>()
  for (let attempt = 1; ; attempt += 1) {
    const tried = await shadow.withIndex((indexed) => tryRestore(shadow, indexed, run, target, onAnyBranch))
    for (const name of tried.staying ?? []) stayed.add(name)
    if (tried.refusal === undefined) break
    if (attempt === ATTEMPTS_MAX) throw gitFailure('read-tree', shadow.repository.folder, tried.refusal)
    await sleep(PAUSE_MS * attempt)
  }
  // Before 2.35, git removes the folder it works in.
  await mkdir(shadow.repository.folder, { recursive: true })
  const savedAs = await unfinishedRestore(shadow, target)
  await rm(markerOf(shadow), { force: true })
  if (savedAs === undefined) return { tree: wanted.tree }
  // Compared with what was saved first, even if a killed earlier call changed some of it.
  const { tree: before } = await findSnapshot(shadow.repository, savedAs)
  return { tree: wanted.tree, savedAs, files: fileChanges(shadow, await treeChanges(shadow, before, target.tree), stayed) }
}

/** What `restoreTree` would change, and whether another branch prevents it. */
export async function previewTree(shadow: Shadow, wanted: KeptSnapshot): Promise<RestorePreview> {
  const target = { ...wanted, tree: await withoutOwnOutput(shadow, wanted.tree) }
  const { tree } = await shadow.withIndex((indexed) => captureTree(shadow, indexed))
  if (tree === target.tree) return { files: [] }
  const changes = await treeChanges(shadow, tree, target.tree)
  const files = fileChanges(shadow, changes, new Set(await keptAlthoughAdded(shadow, changes, target)))
  const other = await otherBranch(shadow.repository, target)
  return { files, ...(other ? { otherBranch: other } : {}) }
}

/** Relative to the folder, without files that stay although the snapshot doesn't have them. */
function fileChanges(
  { repository: { prefix } }: Shadow,
  changes: readonly TreeChange[],
  stayed: ReadonlySet<string>,
): FileChange[] {
  const changed = changes.filter(({ name }) => !stayed.has(name))
  return changed.map(({ name, change }) => ({ path: readableName(name.slice(prefix.length)), change }))
}

const ATTEMPTS_MAX = 6
const PAUSE_MS = 200

async function tryRestore(
  shadow: Shadow,
  indexed: IndexedGit,
  run: string,
  target: KeptSnapshot,
  onAnyBranch: boolean,
): Promise<{ refusal?: string; staying?: readonly string[] }> {
  const present = await captureTree(shadow, indexed)
  if (present.tree === target.tree) return {}
  const other = onAnyBranch ? undefined : await otherBranch(shadow.repository, target)
  if (other) throw onOtherBranch(shadow.repository, target, other)
  const changes = await treeChanges(shadow, present.tree, target.tree)
  const hadUnsaved = await addUnsaved(shadow, indexed, changes)
  const saved = hadUnsaved ? await writeTree(indexed) : present.tree
  await save(shadow, run, target, saved)
  const staying = await keptAlthoughAdded(shadow, changes, target)
  await removeByName(indexed, staying)
  const from = staying.length > 0 ? await writeTree(indexed) : saved
  const refusal = await checkOut(shadow, indexed, from, target.tree)
  return refusal === undefined ? { staying } : { refusal, staying }
}

/**
 * Makes the folder equal to a tree. Git only says what to do and unpacks the files: it writes through a link that somebody puts in place
 * of a folder meanwhile, and we don't. Returns what is in the way, if anything is.
 */
async function checkOut(shadow: Shadow, indexed: IndexedGit, from: string, tree: string): Promise<string | undefined> {
  const { folder, top } = shadow.repository
  const cwd = (await exists(join(folder, '/'))) ? folder : top
  // A two-way merge fails if a file differs from the tree just saved.
  const merged = await indexed(['read-tree', '-n', '-m', '-u', from, tree], { cwd, exitCodes: [0, 1, 128] })
  if (merged.exitCode !== 0) return merged.stderr
  const changes = await treeChanges(shadow, from, tree)
  const staging = await mkdtemp(join(shadow.gitDir, 'restore-'))
  try {
    const wanted = changes.filter(({ change }) => change !== 'deleted').map(({ name }) => name)
    const env = { GIT_INDEX_FILE: join(staging, 'index') }
    const files = join(staging, 'files')
    await shadow.git(['read-tree', tree], { cwd: top, env })
    const unpack = ['checkout-index', '-z', '--force', '--stdin', `--prefix=${files}/`]
    if (wanted.length > 0) await shadow.git(unpack, { cwd: top, env, input: nulEnded(wanted) })
    for (const { name, change } of changes)
      if (change === 'deleted' && !(await removeInside(top, name))) return `${readableName(name)} keeps changing`
    for (const name of wanted)
      if (!(await putInside(top, name, (place) => moveTo(onDisk(files, name), place))))
        return `${readableName(name)} keeps changing`
    await indexed(['read-tree', tree], { cwd: top })
    await indexed(['update-index', '-q', '--refresh'], { cwd: top, exitCodes: [0, 1] })
    return undefined
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** The repository may be on another disk than its work tree. */
async function moveTo(from: Buffer, to: Buffer): Promise<void> {
  await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error
    const { mode } = await lstat(from)
    if ((mode & constants.S_IFMT) === constants.S_IFLNK) return symlink(await readlink(from, 'buffer'), to)
    await copyFile(from, to)
    await chmod(to, mode)
  })
}

/** Adds files in the way to the saved tree; if that fails, nothing is changed. */
async function addUnsaved(shadow: Shadow, indexed: IndexedGit, changes: readonly TreeChange[]): Promise<boolean> {
  const unsaved = await unsavedInTheWay(shadow, changes)
  const refusal = await addByName(indexed, unsaved)
  if (refusal === undefined) return unsaved.length > 0
  throw new PawlError(
    'workspace.file-unreadable',
    `A file in ${shadow.repository.folder} could not be saved, so nothing was restored: ${refusal}; make it readable or move it away.`,
  )
}

/** Ignored files, which aren't in the present tree, where the snapshot has a file or needs a folder. */
async function unsavedInTheWay(shadow: Shadow, changes: readonly TreeChange[]): Promise<string[]> {
  const saved = new Set(changes.filter(({ change }) => change !== 'added').map(({ name }) => name))
  const found = new Set<string>()
  for (const { name, change } of changes) {
    if (change !== 'added') continue
    const occupant = await occupantOf(shadow.repository.top, name)
    if (occupant?.kind === 'file') found.add(occupant.name)
    if (occupant?.kind === 'folder') for (const file of await filesBelow(shadow.repository.top, name)) found.add(file)
  }
  const unsaved = [...found].filter((name) => !saved.has(name))
  const repository = unsaved.find((name) => name.split('/').includes('.git'))
  if (repository === undefined) return unsaved
  throw new PawlError(
    'workspace.repository-in-the-way',
    `A repository of its own stands where the snapshot has a file (${readableName(repository)}); move it away and try again.`,
    { value: readableName(repository) },
  )
}

/** Added files that the snapshot's own rules ignore: they may be older than the snapshot, so they stay. */
async function keptAlthoughAdded(shadow: Shadow, changes: readonly TreeChange[], target: KeptSnapshot): Promise<string[]> {
  const gone = changes.filter(({ change }) => change === 'deleted').map(({ name }) => name)
  const files = new Set(changes.filter(({ change }) => change === 'added').map(({ name }) => name))
  const folders = new Set([...files].flatMap(foldersOf))
  const isFree = (name: string) => !folders.has(name) && !foldersOf(name).some((folder) => files.has(folder))
  return (await ignoredUnder(shadow, target.tree, gone)).filter(isFree)
}

function foldersOf(name: string): string[] {
  const parts = name.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

async function save(shadow: Shadow, run: string, target: KeptSnapshot, tree: string): Promise<void> {
  const savedAs = await keepSaved(shadow, run, tree)
  if ((await unfinishedRestore(shadow, target)) !== undefined) return
  const marker = markerOf(shadow)
  await writeFile(`${marker}.new`, `${target.object} ${savedAs}\n`)
  await rename(`${marker}.new`, marker)
}

/** What an unfinished restore of the same snapshot saved first. */
async function unfinishedRestore(shadow: Shadow, target: KeptSnapshot): Promise<string | undefined> {
  const text = await readFile(markerOf(shadow), 'utf8').catch(absent)
  const [object, savedAs] = text?.trim().split(' ') ?? []
  return object === target.object ? savedAs : undefined
}

function markerOf(shadow: Shadow): string {
  return join(shadow.gitDir, 'restoring')
}

/**
 * The checked out branch, if it isn't the one of the snapshot: restoring would undo its commits in the folder. At the snapshot's own
 * commit there is nothing to undo, so a branch created there, or a detached HEAD, is fine. In a run's own worktree nobody else switches
 * branches.
 */
async function otherBranch(repository: Repository, { head: was }: KeptSnapshot): Promise<OtherBranch | undefined> {
  if (was === undefined || isOwnWorktree(repository.top)) return undefined
  const now = await readHead(repository)
  if (now.branch === was.branch || now.commit === was.commit) return undefined
  const back = was.branch === undefined ? `--detach ${was.commit}` : shellWord(was.branch)
  return { was: branchWords(was), now: branchWords(now), command: `git switch ${back}` }
}

/** Names the present branch, and how to return to the snapshot's. */
function onOtherBranch({ folder }: Repository, { snapshot }: KeptSnapshot, { was, now, command }: OtherBranch): PawlError {
  return new PawlError(
    'workspace.other-branch',
    `In ${folder} ${now} is checked out, while ${snapshot} was kept on ${was}, so nothing was put back, for that would undo what is committed on ${now}: switch back with "${command}" and resume the run.`,
    { value: now },
  )
}

/** Which of the raw names the ignore rules of another tree would ignore, without touching the work tree. */
async function ignoredUnder(shadow: Shadow, tree: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const folder = await mkdtemp(join(tmpdir(), 'pawl-rules-'))
  try {
    const rules = join(folder, 'tree')
    await mkdir(rules)
    const env = { GIT_INDEX_FILE: join(folder, 'index'), GIT_WORK_TREE: rules }
    await shadow.git(['read-tree', tree], { cwd: rules, env })
    const listed = await shadow.git(['ls-files', '-z', '--', ':(top,glob)**/.gitignore'], { cwd: rules, env })
    await shadow.git(['checkout-index', '-z', '--force', '--stdin'], { cwd: rules, env, input: listed.stdout.toString('latin1') })
    await copyRulesAbove(shadow, rules)
    // `check-ignore` takes patterns: with `./` before it, a name such as `:!x` isn't one.
    const call = { cwd: rules, env, input: nulEnded(names.map((name) => `./${name}`)), exitCodes: [0, 1] }
    const ignored = rawNames((await shadow.git(['check-ignore', '-z', '--no-index', '--stdin'], call)).stdout)
    return ignored.map((name) => name.slice('./'.length))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Our snapshots don't contain the rules of the folders above, so the present ones count. */
async function copyRulesAbove({ repository: { top, prefix } }: Shadow, rules: string): Promise<void> {
  for (let above = readableName(prefix).slice(0, -1); above !== '';) {
    above = dirname(above) === '.' ? '' : dirname(above)
    await mkdir(join(rules, above), { recursive: true })
    await copyFile(join(top, above, '.gitignore'), join(rules, above, '.gitignore')).catch(absent)
  }
}
