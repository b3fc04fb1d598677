import { randomUUID } from 'node:crypto'
import { link, lstat, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { absent, exists } from './files-on-disk.ts'
import { git, type GitCall, gitChunks, type GitResult, gitScript, type GitScript } from './git-program.ts'
import { configFile, type Repository, requireNoLinks, requireRepository } from './git-repository.ts'
import { requireName } from './snapshot-name.ts'

/**
 * Pawl's own git dir below the user's (`<git-dir>/pawl/RUN`), with the user's object store and work tree. Its own index leaves the
 * user's alone; its own attributes switch off every conversion (line ends, filters such as LFS, `ident`, encodings), so that snapshots
 * equal the files byte for byte; its own excludes add `.pawl`.
 */
export interface Shadow {
  readonly repository: Repository
  /** Its path; other files of ours may be there too. */
  readonly gitDir: string
  /** Runs git without the shadow's index: for trees, commits and differences. */
  git(args: readonly string[], call?: Partial<GitCall>): Promise<GitResult>
  chunks(args: readonly string[]): AsyncGenerator<Buffer>
  /** Runs git several times, also without the index. */
  script(script: GitScript): Promise<readonly Buffer[]>
  /**
   * Passes a private copy of the index to `use` and keeps it if that succeeds, so that neither a crash nor a second process leaves a
   * lock or a half-written index.
   */
  withIndex<Result>(use: (run: IndexedGit) => Promise<Result>): Promise<Result>
  /** Deletes the index: the next tree is read from disk again. */
  forgetIndex(): Promise<void>
}

/** Runs git with a private copy of the shadow's index. */
export interface IndexedGit {
  (args: readonly string[], call?: Partial<GitCall>): Promise<GitResult>
  script(script: GitScript): Promise<readonly Buffer[]>
}

/** Creates a run's shadow, or opens it again. */
export async function openShadow(repository: Repository, run: string): Promise<Shadow> {
  const gitDir = shadowFolder(repository.gitDir, run)
  const env = {
    GIT_DIR: gitDir,
    GIT_COMMON_DIR: gitDir,
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
      // Another process may have cleaned it up.
      await prepare(repository, gitDir)
      return withPrivateIndex(gitDir, (index) => use(withIndexAt(index)))
    },
    forgetIndex: () => forgetIndex(gitDir),
  }
}

/** The path of a run's shadow below a git dir. */
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

/** By hand and not by `git init`: the next call repairs what a killed process left. */
async function prepare(repository: Repository, gitDir: string): Promise<void> {
  // Never create anything if the repository is gone, so that a person can put it back.
  await requireRepository(repository)
  await requireNoLinks(repository, `refs/pawl/${basename(gitDir)}`)
  await removeLinks(gitDir)
  // Read every time: the user's exclude list is part of what "ignored" means.
  const excluded = await excludeList(repository)
  await mkdir(join(gitDir, 'info'), { recursive: true })
  await mkdir(join(gitDir, 'refs'), { recursive: true })
  await writeChanged(join(gitDir, 'config'), configFile(repository, false))
  await writeChanged(join(gitDir, 'info', 'exclude'), `${excluded ?? ''}\n.pawl\n`)
  await writeChanged(join(gitDir, 'info', 'attributes'), ATTRIBUTES)
  await writeChanged(join(gitDir, 'HEAD'), 'ref: refs/heads/pawl\n')
}

/** A box shows our copy: a link that leads out of the repository would bring what the box hides into it. */
async function excludeList({ top, commonDir }: Repository): Promise<string | undefined> {
  const path = join(commonDir, 'info', 'exclude')
  const real = await realpath(path).catch(absent)
  const places = await Promise.all([top, commonDir].map((place) => realpath(place)))
  return real !== undefined && places.some((place) => real.startsWith(place + sep))
    ? readFile(real, 'latin1').catch(absent)
    : undefined
}

/** An agent can write here. A link would lead our own writing elsewhere; Pawl makes none. */
async function removeLinks(gitDir: string): Promise<void> {
  for (const folder of [dirname(gitDir), gitDir, join(gitDir, 'info'), join(gitDir, 'refs')]) {
    if ((await lstat(folder).catch(absent))?.isSymbolicLink()) await rm(folder)
    for (const entry of (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [])
      if (entry.isSymbolicLink()) await rm(join(folder, entry.name))
  }
}

async function writeChanged(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'latin1').catch(absent)) !== text) await writeFile(path, text, 'latin1')
}

/** Settings of the user's repository that affect which files exist; the shadow has its own configuration file. */
async function userSettings(repository: Repository): Promise<string[]> {
  const wanted = '^core\\.(excludesfile|ignorecase|precomposeunicode)$'
  const found = await git(['config', '--null', '--get-regexp', wanted], { cwd: repository.top, exitCodes: [0, 1] })
  const pairs = found.stdout.toString('utf8').split('\0').slice(0, -1)
  return pairs.flatMap((pair) => ['-c', pair.replace('\n', '=')])
}

/** Replaces, once, an index that git can't use because it is damaged or its objects were cleaned up. */
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
  // A link and not a copy: git detects racily changed files by the index's modification time, which a copy would change.
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

/** Removes private indexes and unpacked files of killed processes; none is in use for a day. */
async function removeLeftovers(gitDir: string): Promise<void> {
  for (const name of await readdir(gitDir)) {
    if (!name.startsWith(`${INDEX}-`) && !name.startsWith('restore-')) continue
    const found = await stat(join(gitDir, name)).catch(absent)
    if (found && Date.now() - found.mtimeMs > LEFTOVER_AGE_MS_MIN) await rm(join(gitDir, name), { recursive: true, force: true })
  }
}
