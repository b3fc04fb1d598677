import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { counted, shortened } from '../core/wording.ts'
import { absent, exists, rawName, readableName, requireOwnPlace } from './files-on-disk.ts'
import { git, gitFailure, rawNames } from './git-program.ts'

/** The paths of a folder's repository, all absolute and without symbolic links. */
export interface Repository {
  readonly top: string
  readonly gitDir: string
  /** Same as `gitDir`, except in a linked worktree, whose objects and refs are in the main repository. */
  readonly commonDir: string
  /** The folder below `top` as a raw name: empty or ending with a slash. */
  readonly prefix: string
  /** The folder itself. */
  readonly folder: string
  readonly objectFormat: string
}

/** Finds the repository of a folder; rejects if the folder is missing, bare or in no repository. */
export async function findRepository(path: string): Promise<Repository> {
  const folder = resolve(path)
  if (!(await isFolder(folder))) {
    throw new PawlError('workspace.folder-missing', `The folder ${folder} is not there; create it or name another.`, {
      value: path,
    })
  }
  const asked = await git(['rev-parse', '--path-format=absolute', ...ASKED], { cwd: folder, exitCodes: [0, 128] })
  if (/not a git repository|must be run in a work tree/.test(asked.stderr)) {
    throw new PawlError(
      'workspace.not-a-repository',
      `${folder} is not in the work tree of a git repository: run "git init" there, or take a broken .git away, for where there is no repository Pawl keeps plain copies.`,
      { value: path },
    )
  }
  const [top, gitDir, commonDir, objectFormat, prefix = ''] = asked.stdout.toString('utf8').split('\n')
  if (asked.exitCode !== 0 || !top || !gitDir || !commonDir || !objectFormat) throw gitFailure('rev-parse', folder, asked.stderr)
  return { top, gitDir, commonDir, objectFormat, prefix: rawName(prefix), folder: resolve(top, prefix) }
}

/**
 * Rejects if the repository was removed since it was found: git would use another one in the folders above. Rejects as well if an agent
 * put a link where git writes objects or refs, or a file by which git would take another repository's settings.
 */
export async function requireRepository(repository: Repository): Promise<void> {
  const { gitDir, commonDir, folder } = repository
  await requireOwnPlace(folder)
  if (!(await exists(join(gitDir, 'HEAD')))) throw repositoryGone(folder)
  const isWorktree = gitDir !== commonDir
  if (isWorktree && dirname(dirname(gitDir)) !== commonDir) throw repositoryGone(folder)
  const planted = join(commonDir, 'commondir')
  if (await exists(planted)) {
    const sentence = `${planted} leads git to another repository's settings, and no git writes this file there: remove it before you use git here, then resume the run.`
    throw new PawlError('workspace.repository-gone', sentence, { value: planted })
  }
  await requireNoLinks(repository, 'objects')
  const entries = await readdir(join(commonDir, 'objects'), { withFileTypes: true }).catch(absent)
  if (entries?.some((entry) => entry.isSymbolicLink())) throw repositoryGone(folder)
}

/** Rejects if a link would lead what git writes below `path` of the repository to a place that is no repository. */
export async function requireNoLinks({ commonDir, folder }: Repository, path: string): Promise<void> {
  const steps = path.split('/').map((_, index, all) => all.slice(0, index + 1).join('/'))
  for (const step of steps) {
    const place = join(commonDir, step)
    if (!(await lstat(place).catch(absent))?.isSymbolicLink()) continue
    // Some tools link the folders of several repositories.
    const real = await realpath(place).catch(() => '')
    if (!real.endsWith(`/${step}`) || !(await exists(join(real.slice(0, -step.length), 'HEAD')))) throw repositoryGone(folder)
  }
}

/** An agent removed the repository, or replaced it. */
export function repositoryGone(folder: string, cause?: unknown): PawlError {
  const sentence = `The git repository of ${folder} that keeps the snapshots of this run is gone, damaged or not the same any more: bring its .git back from a copy and resume the run, or abort it.`
  return new PawlError('workspace.repository-gone', sentence, { value: folder, cause })
}

/** The commit that a ref names; `undefined` if there is none. */
export async function commitAt({ top }: Repository, ref: string): Promise<string | undefined> {
  const found = await git(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { cwd: top, exitCodes: [0, 1] })
  return found.exitCode === 0 ? found.stdout.toString('utf8').trim() : undefined
}

/** The commit that is checked out; `undefined` before the first one. */
export async function headCommit(repository: Repository): Promise<string | undefined> {
  return commitAt(repository, 'HEAD')
}

/** The configuration file of a git dir that uses the repository's objects. */
export function configFile({ objectFormat }: Repository, isBare: boolean): string {
  const isOldFormat = objectFormat === 'sha1'
  const format = isOldFormat ? '' : `[extensions]\n\tobjectFormat = ${objectFormat}\n`
  return `[core]\n\trepositoryformatversion = ${isOldFormat ? 0 : 1}\n\tbare = ${isBare}\n${format}`
}

const ASKED = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--show-object-format', '--show-prefix']

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}

/** What is checked out. */
export interface Head {
  /** Absent where HEAD is detached. */
  readonly branch?: string
  /** Absent before the first commit. */
  readonly commit?: string
}

/**
 * What is checked out, from git's own files: every observation needs it, and starting a program takes longer than reading three files.
 * If refs aren't files (reftable), git is asked.
 */
export async function readHead(repository: Repository): Promise<Head> {
  const text = (await readFile(join(repository.gitDir, 'HEAD'), 'utf8').catch(absent))?.trim()
  if (text === undefined) throw repositoryGone(repository.folder)
  if (COMMIT.test(text)) return { commit: text }
  const ref = /^ref: (refs\/heads\/.+)$/.exec(text)?.[1]
  if (ref === undefined || ref === 'refs/heads/.invalid') return askedHead(repository)
  const commit = (await looseRef(repository, ref)) ?? (await packedRef(repository, ref))
  // A branch that is another name for a branch.
  if (commit !== undefined && !COMMIT.test(commit)) return askedHead(repository)
  return headAt(ref, commit)
}

/** The head as a line of a snapshot's message. */
export function headLine({ branch, commit }: Head): string {
  return `head ${branch === undefined ? DETACHED : `${BRANCHES}${branch}`} ${commit ?? UNBORN}`
}

/** The head in a snapshot's message; older snapshots have none. */
export function headIn(body: string): Head | undefined {
  const [, ref, commit] = /^head (\S+) (\S+)$/m.exec(body) ?? []
  return ref === undefined ? undefined : headAt(ref === DETACHED ? undefined : ref, commit === UNBORN ? undefined : commit)
}

/** "feature", or "no branch (detached HEAD)". */
export function branchWords({ branch }: Head): string {
  return branch ?? 'no branch (detached HEAD)'
}

const COMMIT = /^[0-9a-f]{40,64}$/
const BRANCHES = 'refs/heads/'
const DETACHED = 'detached'
const UNBORN = 'unborn'

function headAt(ref: string | undefined, commit: string | undefined): Head {
  return {
    ...(ref === undefined ? {} : { branch: ref.replace(BRANCHES, '') }),
    ...(commit === undefined ? {} : { commit }),
  }
}

async function looseRef({ commonDir }: Repository, ref: string): Promise<string | undefined> {
  const text = await readFile(join(commonDir, ref), 'utf8').catch((error: NodeJS.ErrnoException) => {
    // The folder of deleted branches: this one is packed.
    if (error.code !== 'EISDIR') return absent(error)
  })
  return text?.trim()
}

async function packedRef({ commonDir }: Repository, ref: string): Promise<string | undefined> {
  const packed = `\n${(await readFile(join(commonDir, 'packed-refs'), 'utf8').catch(absent)) ?? ''}`
  const end = packed.indexOf(` ${ref}\n`)
  return end < 0 ? undefined : packed.slice(packed.lastIndexOf('\n', end) + 1, end)
}

async function askedHead({ top }: Repository): Promise<Head> {
  const [ref, commit] = await Promise.all(
    [
      ['symbolic-ref', '--quiet', 'HEAD'],
      ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'],
    ].map(async (args) => (await git(args, { cwd: top, exitCodes: [0, 1] })).stdout.toString('utf8').trim() || undefined),
  )
  return headAt(ref, commit)
}

/**
 * Notes about what happened to HEAD between two observations: new commits, a switched or moved branch. They don't say who did it: the
 * agent, a check or a person. Starts git only if something changed.
 */
export async function headNotes(repository: Repository, was: Head | undefined, now: Head): Promise<readonly string[]> {
  if (was === undefined || (was.branch === now.branch && was.commit === now.commit)) return []
  return [was.branch === now.branch ? await movedNote(repository, was, now) : await switchedNote(repository, was, now)]
}

async function switchedNote(repository: Repository, was: Head, now: Head): Promise<string> {
  const [commit] = now.commit === undefined || now.commit === was.commit ? [] : await commitsIn(repository, [now.commit], 1)
  return `${branchWords(now)} is checked out now${commit ? `, at ${commit.words}` : ''}; it was ${branchWords(was)}`
}

async function movedNote(repository: Repository, was: Head, now: Head): Promise<string> {
  const where = branchWords(now)
  if (now.commit === undefined) return `${where} has no commit any more; it was at ${was.commit?.slice(0, SHORT)}`
  const range = was.commit === undefined ? now.commit : `${was.commit}...${now.commit}`
  const commits = await commitsIn(repository, ['--left-right', range], COMMITS_MAX)
  const come = commits.filter(({ isGone }) => !isGone)
  const goneCount = commits.length - come.length
  const gone = goneCount === 0 ? '' : `; ${counted(goneCount, 'commit')} no longer on it`
  const [last] = come
  // Moved back, or to a commit that git can't compare.
  if (!last) return `${where} is at ${now.commit.slice(0, SHORT)} now; it was at ${was.commit?.slice(0, SHORT) ?? 'no commit'}`
  const least = commits.length === COMMITS_MAX ? 'at least ' : ''
  const which = come.length === 1 ? `: ${last.words}` : `, the last one ${last.words}`
  return `${least}${counted(come.length, 'new commit')} on ${where}${which}${gone}`
}

interface FoundCommit {
  /** No longer reachable from HEAD. */
  readonly isGone: boolean
  /** "abc1234 Subject". */
  readonly words: string
}

/** The newest first; none if git no longer knows them. */
async function commitsIn({ top }: Repository, range: readonly string[], countMax: number): Promise<readonly FoundCommit[]> {
  const args = ['log', '--no-show-signature', '--no-color', '--encoding=UTF-8', '--format=%m%h %s', `--max-count=${countMax}`]
  const { stdout } = await git([...args, ...range, '--'], { cwd: top, exitCodes: [0, 128] })
  const lines = stdout.toString('utf8').split('\n').slice(0, -1)
  return lines.map((line) => ({
    isGone: line.startsWith('<'),
    words: shortened(line.slice(1).replaceAll(CONTROL, ''), WORDS_LENGTH_MAX),
  }))
}

const COMMITS_MAX = 100
const WORDS_LENGTH_MAX = 100
const SHORT = 7

/** An agent wrote the subject: it must not move a terminal's cursor. */
const CONTROL = /\p{Cc}/gu

/** Ignored files that match the globs, relative to the folder: no snapshot shows their changes. */
export async function ignoredAmong({ folder }: Repository, globs: readonly string[]): Promise<readonly string[]> {
  const plain = globs.map((glob) => glob.replace(/^\.?\//, '').replace(/\/+$/, ''))
  const paths = plain.flatMap((glob) => [`:(glob)${glob}`, `:(glob)${glob}/**`])
  const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z', '--', ...paths, NOT_OURS]
  return rawNames((await git(list, { cwd: folder })).stdout).map(readableName)
}

/** What git ignores in the folder; a folder that is ignored completely is one name, with `/` at the end. */
export async function ignoredNames({ folder }: Repository): Promise<readonly string[]> {
  const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z']
  const names = rawNames((await git(list, { cwd: folder })).stdout).map(readableName)
  return names.filter((name) => !name.split('/').includes('.pawl'))
}

/** Packages' files need no protection, and there are too many. */
const NOT_OURS = ':(exclude,glob)**/node_modules/**'
