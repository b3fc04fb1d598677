import { randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { absent, exists } from './files-on-disk.ts'
import { git, type GitCall, gitChunks, type GitResult, gitScript, type GitScript } from './git-program.ts'
import { configFile, type Repository, requireRepository } from './git-repository.ts'
import { requireName } from './snapshot-name.ts'

/**
 * A git dir of our own below the user's (`<git-dir>/pawl/RUN`) with the user's object store and work tree. Its own index leaves
 * the user's alone; its own attributes switch every conversion off (line ends, filters such as LFS, `ident`, encodings), so that
 * what is kept is what was on disk, byte for byte; its own excludes add `.pawl`.
 */
export interface Shadow {
  readonly repository: Repository
  /** Where it lives; files of ours beside the index are welcome there. */
  readonly gitDir: string
  /** Runs git with the shadow's index left out of it: for trees, commits and differences. */
  git(args: readonly string[], call?: Partial<GitCall>): Promise<GitResult>
  chunks(args: readonly string[]): AsyncGenerator<Buffer>
  /** Runs git several times, likewise without the index. */
  script(script: GitScript): Promise<readonly Buffer[]>
  /**
   * Hands a private copy of the kept index to `use` and keeps it when that succeeds. Neither a crash nor a second process can
   * leave a lock or a half-written index in the way.
   */
  withIndex<Result>(use: (run: IndexedGit) => Promise<Result>): Promise<Result>
  /** Forgets the kept index: the next tree is read from disk anew. */
  forgetIndex(): Promise<void>
}

/** Runs git with a private copy of the shadow's index. */
export interface IndexedGit {
  (args: readonly string[], call?: Partial<GitCall>): Promise<GitResult>
  script(script: GitScript): Promise<readonly Buffer[]>
}

/** Makes the shadow of a run ready, or finds it again. */
export async function openShadow(repository: Repository, run: string): Promise<Shadow> {
  const gitDir = shadowFolder(repository.gitDir, run)
  const env = {
    GIT_DIR: gitDir,
    GIT_WORK_TREE: repository.top,
    GIT_OBJECT_DIRECTORY: join(repository.commonDir, 'objects'),
    ...IDENTITY,
  }
  await prepare(repository, gitDir)
  const settings = await userSettings(repository)
  const call = (args: readonly string[], given: Partial<GitCall> = {}) =>
    git([...settings, ...args], { cwd: repository.top, ...given, env: { ...env, ...given.env } })
  const callScript = (script: GitScript, more: GitCall['env'] = {}) =>
    gitScript(script, { cwd: repository.top, env: { ...env, ...more }, settings })
  const withIndexAt = (index: string): IndexedGit => {
    const own = { GIT_INDEX_FILE: index }
    const indexed = (args: readonly string[], given: Partial<GitCall> = {}) =>
      call(args, { ...given, env: { ...own, ...given.env } })
    return Object.assign(indexed, { script: (script: GitScript) => callScript(script, own) })
  }
  return {
    repository,
    gitDir,
    git: call,
    script: callScript,
    chunks: (args) => gitChunks([...settings, ...args], { cwd: repository.top, env }),
    async withIndex(use) {
      // Clean-up in another process may have removed it since.
      await prepare(repository, gitDir)
      return withPrivateIndex(gitDir, (index) => use(withIndexAt(index)))
    },
    forgetIndex: () => forgetIndex(gitDir),
  }
}

/** Where the shadow of a run lives below a git dir. */
export function shadowFolder(gitDir: string, run: string): string {
  return join(gitDir, 'pawl', requireName('run id', run))
}

const INDEX = 'index'
const LEFTOVER_AGE_MS_MIN = 24 * 60 * 60_000

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Pawl',
  GIT_AUTHOR_EMAIL: 'pawl@localhost',
  GIT_COMMITTER_NAME: 'Pawl',
  GIT_COMMITTER_EMAIL: 'pawl@localhost',
}

const ATTRIBUTES = '* -text -eol -crlf -filter -ident -working-tree-encoding !diff\n'

/** By hand and not by `git init`: a process killed halfway leaves nothing that the next call does not put right. */
async function prepare(repository: Repository, gitDir: string): Promise<void> {
  // Nothing is made where a repository was: whoever brings it back finds its place free.
  await requireRepository(repository)
  // Read again every time: the user's own exclude list is part of what "ignored" means.
  const excluded = await readFile(join(repository.commonDir, 'info', 'exclude'), 'latin1').catch(absent)
  await mkdir(join(gitDir, 'info'), { recursive: true })
  await mkdir(join(gitDir, 'refs'), { recursive: true })
  await writeChanged(join(gitDir, 'config'), configFile(repository, false))
  await writeChanged(join(gitDir, 'info', 'exclude'), `${excluded ?? ''}\n.pawl\n`)
  await writeChanged(join(gitDir, 'info', 'attributes'), ATTRIBUTES)
  await writeChanged(join(gitDir, 'HEAD'), 'ref: refs/heads/pawl\n')
}

async function writeChanged(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'latin1').catch(absent)) !== text) await writeFile(path, text, 'latin1')
}

/** Settings of the user's repository that say what a file is; the shadow has a configuration file of its own. */
async function userSettings(repository: Repository): Promise<string[]> {
  const wanted = '^core\\.(excludesfile|ignorecase|precomposeunicode)$'
  const found = await git(['config', '--null', '--get-regexp', wanted], { cwd: repository.top, exitCodes: [0, 1] })
  const pairs = found.stdout.toString('utf8').split('\0').slice(0, -1)
  return pairs.flatMap((pair) => ['-c', pair.replace('\n', '=')])
}

/** An index that git cannot use, because it is damaged or what it names was cleaned away, is thrown away and made anew, once. */
async function withPrivateIndex<Result>(gitDir: string, use: (index: string) => Promise<Result>): Promise<Result> {
  await removeLeftovers(gitDir)
  const wasKept = await exists(join(gitDir, INDEX))
  try {
    return await usePrivateIndex(gitDir, use)
  } catch (error) {
    if (!wasKept || !(error instanceof PawlError) || error.code !== 'workspace.git-failed') throw error
    await forgetIndex(gitDir)
    return await usePrivateIndex(gitDir, use)
  }
}

async function usePrivateIndex<Result>(gitDir: string, use: (index: string) => Promise<Result>): Promise<Result> {
  const kept = join(gitDir, INDEX)
  const mine = `${kept}-${randomUUID()}`
  // A link and not a copy: git tells racily changed files by the index's own time of change, which a copy would move forward.
  await link(kept, mine)
    .catch(() => rename(kept, mine))
    .catch(absent)
  try {
    const result = await use(mine)
    await rename(mine, kept).catch(absent)
    return result
  } finally {
    await rm(mine, { force: true })
    await rm(`${mine}.lock`, { force: true })
  }
}

function forgetIndex(gitDir: string): Promise<void> {
  return rm(join(gitDir, INDEX), { force: true })
}

/** Private indexes of processes that were killed; a day is longer than any of them is in use. */
async function removeLeftovers(gitDir: string): Promise<void> {
  for (const name of await readdir(gitDir)) {
    if (!name.startsWith(`${INDEX}-`)) continue
    const found = await stat(join(gitDir, name)).catch(absent)
    if (found && Date.now() - found.mtimeMs > LEFTOVER_AGE_MS_MIN) await rm(join(gitDir, name), { force: true })
  }
}
