import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { git, gitFailure, rawName } from './git-program.ts'
import { isThere } from './is-there.ts'

/** Where a folder's repository has its parts. All paths are absolute and free of symbolic links. */
export interface Repository {
  readonly top: string
  readonly gitDir: string
  /** The same as `gitDir` but in a linked worktree: there objects and refs are the main repository's. */
  readonly commonDir: string
  /** The folder below `top` as a raw name: empty or ending with a slash. */
  readonly prefix: string
  /** The folder itself. */
  readonly folder: string
  readonly objectFormat: string
}

/** Finds the repository of a folder; refuses a folder that is missing, bare or in no repository. */
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

/** Refuses one that was taken away since it was found: git would look for another, in the folders above. */
export async function requireRepository({ gitDir, folder }: Repository): Promise<void> {
  if (!(await isThere(join(gitDir, 'HEAD')))) throw repositoryGone(folder)
}

/** An agent has taken the repository away, or put another in its place. */
export function repositoryGone(folder: string, cause?: unknown): PawlError {
  const sentence = `The git repository of ${folder} that keeps the snapshots of this run is gone, damaged or not the same any more: bring its .git back from a copy and resume the run, or abort it.`
  return new PawlError('workspace.repository-gone', sentence, { value: folder, cause })
}

/** The commit a repository is at; `undefined` before its first one. */
export async function headCommit(repository: Repository): Promise<string | undefined> {
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { cwd: repository.top, exitCodes: [0, 1] })
  return head.exitCode === 0 ? head.stdout.toString('utf8').trim() : undefined
}

const ASKED = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--show-object-format', '--show-prefix']

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}
