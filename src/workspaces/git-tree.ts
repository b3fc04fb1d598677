import { createHash, randomUUID } from 'node:crypto'
import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileChange } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Captured } from '../process/output.ts'
import { ownOutputFiles } from '../process/own-output.ts'
import { cappedDiff } from './diff.ts'
import { absent, exists, isUnfit, mapParallel, occupantOf, onDisk, readableName } from './files-on-disk.ts'
import { filesStamp } from './files-stamp.ts'
import { git, gitFailure, IN_USERS_REPOSITORY, nulEnded, rawNames } from './git-program.ts'
import type { IndexedGit, Shadow } from './git-shadow.ts'
import type { FilesStamp, SnapshotFile, SnapshotFiles } from './workspace.ts'

export interface CapturedTree {
  readonly tree: string
  /** What could not be read or was left out, one line each. */
  readonly leftOut: readonly string[]
}

/** Reads the folder into the index and writes its tree. */
export async function captureTree(shadow: Shadow, indexed: IndexedGit): Promise<CapturedTree> {
  const { leftOut } = await readFolder(shadow, indexed)
  return { tree: await writeTree(indexed), leftOut }
}

/**
 * Reads the folder into the index. The result depends only on the disk, the ignore rules and what the user's index tracks in spite of
 * them; never on the index before. Returns what was left out, one line each, and the repositories inside, as raw names with a slash.
 */
export async function readFolder(shadow: Shadow, indexed: IndexedGit) {
  const { dropped, wanted, repositories } = await differingFrom(shadow, indexed)
  await removeByName(indexed, dropped)
  const unreadable = await addReadable(shadow, indexed, wanted)
  const leftOut = [
    ...repositories.map((name) => `${readableName(name)} is a repository of its own`),
    ...unreadable.map((name) => `${readableName(name)} cannot be read`),
  ]
  return { leftOut, repositories }
}

/** Whether the folder equals the index. A file that was only touched may count as different. */
export async function isAsIndexed(shadow: Shadow, indexed: IndexedGit): Promise<boolean> {
  const { dropped, wanted } = await differingFrom(shadow, indexed)
  return dropped.length === 0 && wanted.length === 0
}

/** What to remove from the index and what to add. */
async function differingFrom(shadow: Shadow, indexed: IndexedGit) {
  const { forced, added, repositories, modified, deleted, ignored } = await askedOfFolder(shadow, indexed)
  // In the index from when they were not ignored, or not deleted.
  const held = new Set(ignored)
  const dropped = new Set([...[...held].filter((name) => !forced.has(name)), ...deleted])
  const missing = await present(
    shadow,
    [...forced].filter((name) => !held.has(name)),
  )
  const wanted = [...modified.filter((name) => !dropped.has(name)), ...added, ...missing]
  const own = new Set(await ownOutputAmong(shadow, wanted))
  for (const name of modified) if (own.has(name)) dropped.add(name)
  return { dropped: [...dropped], wanted: wanted.filter((name) => !own.has(name)), repositories }
}

/**
 * Names of files that the output of this process goes to, or that of an earlier process of the same run: the user's shell writes them,
 * so they are no work, and a restore leaves them alone.
 */
async function ownOutputAmong(shadow: Shadow, names: readonly string[]): Promise<readonly string[]> {
  const before = await ownOutputNames(shadow)
  const files = ownOutputFiles()
  if (files.length === 0) return before
  const found = await mapParallel(names, PARALLEL_MAX, async (name) => {
    const here = await lstat(onDisk(shadow.repository.top, name)).catch(absent)
    return here && files.some(({ dev, ino }) => dev === here.dev && ino === here.ino) ? [name] : []
  })
  const all = [...new Set([...before, ...found.flat()])]
  if (all.length > before.length) await writeFile(join(shadow.gitDir, OWN_OUTPUT), nulEnded(all), 'latin1')
  return all
}

/** The names that are known as such so far. */
async function ownOutputNames({ gitDir }: Shadow): Promise<readonly string[]> {
  const text = await readFile(join(gitDir, OWN_OUTPUT)).catch(absent)
  return text === undefined ? [] : rawNames(text)
}

/** A tree without the files that the run's own output goes to. */
export async function withoutOwnOutput(shadow: Shadow, tree: string): Promise<string> {
  const names = await ownOutputNames(shadow)
  if (names.length === 0) return tree
  const index = join(shadow.gitDir, `index-${randomUUID()}`)
  const env = { GIT_INDEX_FILE: index }
  try {
    await shadow.git(['read-tree', tree], { env })
    await shadow.git(['update-index', '-z', '--force-remove', '--stdin'], { env, input: nulEnded(names) })
    return (await shadow.git(['write-tree'], { env })).stdout.toString('utf8').trim()
  } finally {
    await rm(index, { force: true })
  }
}

const OWN_OUTPUT = 'own-output'
const PARALLEL_MAX = 16

/** The tree of the index. */
export async function writeTree(indexed: IndexedGit): Promise<string> {
  return (await indexed(['write-tree'])).stdout.toString('utf8').trim()
}

/** Adds files by name, ignored or not; returns git's message if it could not read one of them. */
export async function addByName(indexed: IndexedGit, names: readonly string[]): Promise<string | undefined> {
  if (names.length === 0) return undefined
  const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']
  const added = await indexed(args, { input: nulEnded(names), exitCodes: [0, 128] })
  return added.exitCode === 0 ? undefined : added.stderr.trim()
}

/** Removes files from the index, not from disk. */
export async function removeByName(indexed: IndexedGit, names: readonly string[]): Promise<void> {
  if (names.length > 0) await indexed(['update-index', '-z', '--force-remove', '--stdin'], { input: nulEnded(names) })
}

const ATTEMPTS_MAX = 5
const REPOSITORY_MODE = '160000'

/** All four questions about the folder, at once. */
async function askedOfFolder(shadow: Shadow, indexed: IndexedGit) {
  await enterSubmodules(shadow, indexed)
  const { repository } = shadow
  const script = { command: 'ls-files', lines: QUESTIONS, arguments: [folderSpec(repository.prefix)], more: 3 }
  const [ignored = [], tracked = [], others = [], changed = []] = (await indexed.script(script)).map(rawNames)
  return { ignored, forced: trackedThoughIgnored(tracked), ...newFiles(others), ...changedFiles(changed) }
}

const QUESTIONS = `(${IN_USERS_REPOSITORY}; git ls-files -z --stage --cached --ignored --exclude-standard -- "$1") >&3 & tracked=$!
git ls-files -z --others --exclude-standard -- "$1" >&4 & others=$!
git diff-files -z --raw >&5 & changed=$!
git ls-files -z --cached --ignored --exclude-standard || exit
wait $tracked || exit
wait $others || exit
wait $changed`

/**
 * Remembers which submodules a run begins with: their files are part of its snapshots, as plain files. One that appears later is left
 * out, like every other repository inside: an agent may have planted it. Runs of older versions have none.
 */
export async function noteSubmodules({ repository, gitDir }: Shadow): Promise<void> {
  const { top, prefix } = repository
  const listed = rawNames((await git(['ls-files', '-z', '--stage', '--', folderSpec(prefix)], { cwd: top })).stdout)
  const names = listed.filter((line) => line.startsWith(REPOSITORY_MODE)).map((line) => line.slice(line.indexOf('\t') + 1))
  const populated: string[] = []
  for (const name of names) {
    if (!(await exists(join(top, readableName(name), '.git')))) continue
    populated.push(name)
    // Of those inside it only its own list is read: git would obey its settings.
    const text = (await readFile(join(top, readableName(name), '.gitmodules'), 'latin1').catch(absent)) ?? ''
    for (const [, path = ''] of text.matchAll(/^\s*path\s*=\s*(\S.*?)\s*$/gm)) names.push(`${name}/${path}`)
  }
  if (populated.length > 0) await writeFile(join(gitDir, SUBMODULES), nulEnded(populated), 'latin1')
}

const SUBMODULES = 'submodules'

/** git lists the files of a repository inside only if the index has one of them already. */
async function enterSubmodules({ repository: { top }, gitDir }: Shadow, indexed: IndexedGit): Promise<void> {
  const text = await readFile(join(gitDir, SUBMODULES)).catch(absent)
  if (text === undefined) return
  const indexedNames = rawNames((await indexed(['ls-files', '-z', '--cached'])).stdout)
  for (const name of rawNames(text)) {
    if (indexedNames.some((each) => each.startsWith(`${name}/`))) continue
    const file = await firstFile(top, name)
    if (file !== undefined) await addByName(indexed, [file])
  }
}

async function firstFile(top: string, folder: string): Promise<string | undefined> {
  const entries = (await readdir(onDisk(top, folder), { withFileTypes: true, encoding: 'buffer' }).catch(absent)) ?? []
  const named = entries.map((entry) => ({ entry, name: entry.name.toString('latin1') })).filter(({ name }) => name !== '.git')
  const file = named.find(({ entry }) => entry.isFile())
  if (file) return `${folder}/${file.name}`
  for (const { entry, name } of named) {
    const found = entry.isDirectory() ? await firstFile(top, `${folder}/${name}`) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** Files that the user's index tracks although a rule ignores them: for git these aren't ignored. */
function trackedThoughIgnored(lines: readonly string[]): ReadonlySet<string> {
  const names = lines.filter((line) => !line.startsWith(REPOSITORY_MODE)).map((line) => line.slice(line.indexOf('\t') + 1))
  return new Set(names.filter(isNotPawls))
}

/** Files that aren't in the index yet, and nested repositories, which git lists with a slash at the end. */
function newFiles(others: readonly string[]) {
  const names = others.filter(isNotPawls)
  return { added: names.filter((name) => !name.endsWith('/')), repositories: names.filter((name) => name.endsWith('/')) }
}

function changedFiles(words: readonly string[]) {
  const modified: string[] = []
  const deleted: string[] = []
  for (let index = 0; index + 1 < words.length; index += 2) {
    const line = words[index]!
    // A file that became a repository no longer exists as a file.
    const isGone = line.endsWith('D') || line.split(' ')[1] === REPOSITORY_MODE
    const list = isGone ? deleted : modified
    list.push(words[index + 1]!)
  }
  return { modified, deleted }
}

/** The names that are files or symbolic links. */
async function present({ repository }: Shadow, names: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const name of names) {
    const occupant = await occupantOf(repository.top, name)
    if (occupant?.kind === 'file' && occupant.name === name) found.push(name)
  }
  return found
}

/** One unreadable file fails git's whole batch, so these are left out and the rest is tried again. */
async function addReadable({ repository }: Shadow, indexed: IndexedGit, names: readonly string[]): Promise<readonly string[]> {
  const unreadable = new Set<string>()
  for (let attempt = 1; ; attempt += 1) {
    const refusal = await addByName(
      indexed,
      names.filter((name) => !unreadable.has(name)),
    )
    if (refusal === undefined) break
    if (attempt === ATTEMPTS_MAX) throw gitFailure('update-index', repository.folder, refusal)
    for (const name of names) if (await isUnfit(repository.top, name)) unreadable.add(name)
  }
  // Its earlier content would be wrong.
  await removeByName(indexed, [...unreadable])
  return [...unreadable]
}

function folderSpec(prefix: string): string {
  return `:(top,literal)${readableName(prefix)}`
}

function isNotPawls(name: string): boolean {
  return !name.split('/').includes('.pawl')
}

/** One path that differs between two trees, as git lists it. */
export interface TreeChange {
  /** Relative to the top of the work tree. */
  readonly name: string
  readonly change: FileChange['change']
}

export interface Difference {
  readonly files: readonly FileChange[]
  readonly insertions: number
  readonly deletions: number
}

/** What differs between two trees: paths relative to the folder; a rename is a deletion and an addition. */
export async function treeDifference(shadow: Shadow, from: string, to: string): Promise<Difference> {
  const words = rawNames((await shadow.git(['diff-tree', '-z', '--raw', '--numstat', ...options(shadow), from, to])).stdout)
  const files: FileChange[] = []
  let insertions = 0
  let deletions = 0
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!
    if (word.startsWith(':')) {
      index += 1
      files.push({ path: readableName(words[index]!), change: changeOf(word) })
    } else {
      const [added = '', removed = ''] = word.split('\t')
      // Binary files have a dash here.
      insertions += Number.parseInt(added, 10) || 0
      deletions += Number.parseInt(removed, 10) || 0
    }
  }
  return { files, insertions, deletions }
}

/** The same as a unified diff, within the caps. Binary files are only named. */
export function diffText(shadow: Shadow, from: string, to: string): Promise<Captured> {
  return cappedDiff(shadow.chunks(['diff-tree', '--patch', '--abbrev=12', '--unified=3', ...options(shadow), from, to]))
}

/** Every path that differs, as raw names from the top: what a restore has to do. */
export async function treeChanges(shadow: Shadow, from: string, to: string): Promise<TreeChange[]> {
  const listed = await shadow.git(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-relative', from, to])
  const words = rawNames(listed.stdout)
  return Array.from({ length: words.length / 2 }, (_, pair) => ({
    name: words[pair * 2 + 1]!,
    change: changeOf(words[pair * 2]!),
  }))
}

function options({ repository: { prefix } }: Shadow): string[] {
  const relative = prefix === '' ? '--no-relative' : `--relative=${readableName(prefix)}`
  return ['-r', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', relative]
}

function changeOf(rawLine: string): FileChange['change'] {
  const status = rawLine.at(-1)
  if (status === 'A') return 'added'
  return status === 'D' ? 'deleted' : 'modified'
}

/**
 * The files of a tree, by path relative to the folder. Submodules and nested repositories are left out. Git doesn't look whether the content
 * of an object is the one that it is named after, and an agent can write to the objects: a proof must not read other tests than were kept.
 */
export async function filesInTree(shadow: Shadow, tree: string): Promise<SnapshotFiles> {
  const { prefix } = shadow.repository
  const list = ['--literal-pathspecs', 'ls-tree', '-r', '-t', '-z', '--full-tree', tree, ...(prefix === '' ? [] : [prefix])]
  const listed = rawNames((await shadow.git(list)).stdout)
  const files = new Map<string, SnapshotFile>()
  const trees = new Set([tree])
  for (const line of listed) {
    const tab = line.indexOf('\t')
    const [mode = '', type, id = ''] = line.slice(0, tab).split(' ')
    const kind = FILE_KINDS[mode]
    if (kind) files.set(readableName(line.slice(tab + 1 + prefix.length)), { id, kind })
    if (type === 'tree') trees.add(id)
  }
  await requireTrees(shadow, [...trees])
  // A proof reads what changed several times, and a call of git takes longer than all else.
  const contents = new Map<string, Promise<Buffer>>()
  const read = async (path: string): Promise<Buffer | undefined> => {
    const id = files.get(path)?.id
    if (id === undefined) return undefined
    const found =
      contents.get(id) ?? shadow.git(['cat-file', 'blob', id]).then(({ stdout }) => genuine(shadow, 'blob', id, stdout))
    contents.set(id, found)
    return found
  }
  return { files, read }
}

async function requireTrees(shadow: Shadow, ids: readonly string[]): Promise<void> {
  const { stdout } = await shadow.git(['cat-file', '--batch'], { input: ids.map((id) => `${id}\n`).join('') })
  let at = 0
  for (const id of ids) {
    const end = stdout.indexOf('\n', at)
    const size = Number(stdout.toString('latin1', at, end).split(' ')[2])
    at = end + 1 + size + 1
    genuine(shadow, 'tree', id, stdout.subarray(end + 1, at - 1))
  }
}

/** The content of an object, if it is the one that the id stands for. */
function genuine({ repository }: Shadow, type: 'blob' | 'tree', id: string, content: Buffer): Buffer {
  const hash = createHash(repository.objectFormat).update(`${type} ${content.length}\0`).update(content).digest('hex')
  if (hash === id) return content
  const sentence = `In the git repository of ${repository.folder}, the object ${id} has another content than was kept: bring its .git back from a copy and resume the run, or abort it.`
  throw new PawlError('workspace.object-changed', sentence, { value: id })
}

const FILE_KINDS: Readonly<Record<string, SnapshotFile['kind']>> = { 100644: 'file', 100755: 'executable', 120000: 'link' }

/** The state of the files in a folder of a repository that git doesn't ignore. */
export async function gitFilesStamp(folder: string): Promise<FilesStamp> {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  return filesStamp(folder, rawNames((await git(list, { cwd: folder })).stdout))
}
