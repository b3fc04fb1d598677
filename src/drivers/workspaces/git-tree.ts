import { PawlError } from '../../core/pawl-error.ts'
import { git, nulEnded, rawNames } from './git-program.ts'
import type { IndexedGit, Shadow } from './git-shadow.ts'
import { standingAt } from './standing-at.ts'

export interface CapturedTree {
  readonly tree: string
  /** What could not be read or was left out on purpose, one line each. */
  readonly notes: readonly string[]
}

/**
 * Reads the folder into the index and writes its tree. The tree depends only on what is on disk, on the ignore rules and on what
 * the user's index tracks in spite of them; never on what the shadow's index held before.
 */
export async function captureTree(shadow: Shadow, indexed: IndexedGit): Promise<CapturedTree> {
  const forced = await trackedThoughIgnored(shadow)
  const nested = await nestedRepositories(shadow, indexed)
  const refused = await addFiles(shadow, indexed, nested)
  await dropIgnored(indexed, forced)
  await addForced(shadow, indexed, forced)
  const written = await indexed(['write-tree'])
  const notes = nested.map((name) => `left out: ${Buffer.from(name, 'latin1')} is a repository of its own`)
  return { tree: written.stdout.toString('utf8').trim(), notes: [...notes, ...refused] }
}

/** Pathspec of the folder: the whole work tree, or only the subfolder the workspace was given. */
export function folderSpec(shadow: Shadow): string {
  return `:(top,literal)${shadow.repository.prefix}`
}

const ADD_ATTEMPTS_MAX = 5

/** Neither Pawl's own folder nor anything in it, wherever it stands. */
const NOT_OURS = [':(top,exclude,glob)**/.pawl', ':(top,exclude,glob)**/.pawl/**']

async function trackedThoughIgnored(shadow: Shadow): Promise<ReadonlySet<string>> {
  const { top, prefix } = shadow.repository
  const args = ['ls-files', '-z', '--stage', '--cached', '--ignored', '--exclude-standard', '--', `:(top,literal)${prefix}`]
  const listed = rawNames((await git(args, { cwd: top })).stdout)
  const files = listed.filter((line) => !line.startsWith('160000')).map((line) => line.slice(line.indexOf('\t') + 1))
  return new Set(files.filter((name) => !name.split('/').includes('.pawl')))
}

/** Submodules and other repositories inside the folder: git names them with a slash at the end. */
async function nestedRepositories(shadow: Shadow, indexed: IndexedGit): Promise<string[]> {
  const others = await indexed(['ls-files', '-z', '--others', '--exclude-standard', '--', folderSpec(shadow)])
  return rawNames(others.stdout).filter((name) => name.endsWith('/'))
}

/** Adds, updates and removes; answers with what git could not read. A file that vanished meanwhile is fatal to git: try again. */
async function addFiles(shadow: Shadow, indexed: IndexedGit, nested: readonly string[]): Promise<string[]> {
  const specs = [folderSpec(shadow), ...NOT_OURS, ...nested.map((name) => `:(top,exclude,literal)${name.slice(0, -1)}`)]
  const args = ['add', '--all', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul']
  for (let attempt = 1; ; attempt += 1) {
    const exitCodes = attempt < ADD_ATTEMPTS_MAX ? [0, 1, 128] : [0, 1]
    const added = await indexed(args, { input: nulEnded(specs), exitCodes })
    if (added.exitCode === 0) return []
    if (added.exitCode === 1) return dropUnread(indexed, added.stderr)
  }
}

/** A changed file that could not be read must not stand in the tree with the content it had before. */
async function dropUnread(indexed: IndexedGit, stderr: string): Promise<string[]> {
  const stale = await indexed(['diff-files', '-z', '--name-only'])
  await indexed(['update-index', '-z', '--force-remove', '--stdin'], { input: stale.stdout.toString('latin1') })
  return stderr.split('\n').flatMap((line) => (line.startsWith('error: ') ? [`left out: ${line.slice('error: '.length)}`] : []))
}

/** Files that the index still holds from when they were not ignored. */
async function dropIgnored(indexed: IndexedGit, forced: ReadonlySet<string>): Promise<void> {
  const ignored = rawNames((await indexed(['ls-files', '-z', '--cached', '--ignored', '--exclude-standard'])).stdout)
  const dropped = ignored.filter((name) => !forced.has(name))
  if (dropped.length > 0) await indexed(['update-index', '-z', '--force-remove', '--stdin'], { input: nulEnded(dropped) })
}

async function addForced(shadow: Shadow, indexed: IndexedGit, forced: ReadonlySet<string>): Promise<void> {
  const there: string[] = []
  for (const name of forced) {
    const standing = await standingAt(shadow.repository.top, name)
    if (standing?.kind === 'file' && standing.name === name) there.push(name)
  }
  await addByName(indexed, there)
}

/** Adds files by name, ignored or not; refuses when one cannot be read, for then it could not be brought back. */
export async function addByName(indexed: IndexedGit, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const added = await indexed(['update-index', '-z', '--add', '--stdin'], { input: nulEnded(names), exitCodes: [0, 128] })
  if (added.exitCode === 0) return
  throw new PawlError(
    'workspace.file-unreadable',
    `A file could not be kept, so nothing was changed: ${added.stderr.trim()}; make it readable or move it away and try again.`,
    { value: names.map((name) => Buffer.from(name, 'latin1').toString('utf8')) },
  )
}
