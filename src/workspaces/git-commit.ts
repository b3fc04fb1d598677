import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { git, type GitCall, gitFailure, nulEnded, rawNames, withoutOwnFilters } from './git-program.ts'
import { commitAt, headCommit, type Repository, requireNoLinks } from './git-repository.ts'

export interface WantedCommit {
  /** Identifies this commit within the run; the same one is made once. */
  readonly key: string
  readonly branch: string
  readonly message: string
  /** Where the run left the branch, or where it begins. Default: there is no such branch yet, and it begins at HEAD. */
  readonly after?: string
}

/**
 * Commits the folder's files to a branch, on top of the run's last commit or else HEAD, as `git add --all` and `git commit` would: with
 * the user's filters, ignore rules and identity, but with a separate index, without hooks and without submodules. HEAD, the user's index and the files don't
 * change. Rejects if the branch isn't the run's.
 */
export async function commitFolder(
  repository: Repository,
  run: string,
  { key, branch, message, after }: WantedCommit,
): Promise<{ readonly commit?: string; readonly tip?: string }> {
  const { top } = repository
  const ref = `refs/heads/${branch}`
  await requireNoLinks(repository, ref)
  await requireFreeBranch(repository, branch)
  const tip = await commitAt(repository, ref)
  const parent = after ?? (tip === undefined ? await headCommit(repository) : undefined)
  const tree = await treeOfFolder(repository, parent ?? tip)
  const mark = `Pawl-Run: ${run} ${key}`
  if (tip !== undefined && tip !== after) {
    if (await isMadeBefore(repository, tip, { mark, tree, after })) return { commit: tip, tip }
    throw foreign(branch, run)
  }
  if (parent !== undefined && tree === (await textOf(repository, ['rev-parse', `${parent}^{tree}`]))) return { tip: parent }
  const parents = parent === undefined ? [] : ['-p', parent]
  const text = Buffer.from(`${message.trim()}\n\n${mark}\n`, 'utf8').toString('latin1')
  const made = await git(['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', tree], {
    cwd: top,
    input: text,
    env: await identity(repository),
  })
  const commit = made.stdout.toString('utf8').trim()
  // With the old value, so that a branch that somebody moved meanwhile isn't moved back.
  await git(['update-ref', '-m', `pawl ${run}`, ref, commit, tip ?? '0'.repeat(commit.length)], { cwd: top })
  return { commit, tip: commit }
}

/** Whether the branch already points to this commit, made by a process that died before it could report it. */
async function isMadeBefore(
  repository: Repository,
  tip: string,
  { mark, tree, after }: { readonly mark: string; readonly tree: string; readonly after: string | undefined },
): Promise<boolean> {
  const [has = '', parents = '', ...message] = (
    await textOf(repository, ['log', '-1', '--no-show-signature', '--format=%T%n%P%n%B', tip])
  ).split('\n')
  return message.includes(mark) && (after === undefined ? has === tree : parents === after)
}

function foreign(branch: string, run: string): PawlError {
  return new PawlError(
    'workspace.branch-foreign',
    `Branch ${branch} has other work than run ${run} put there, so Pawl commits nothing to it: choose another id for the run (--id), or rename the branch (git branch -m ${branch} NAME) or delete it (git branch -D ${branch}) and resume.`,
    { value: branch },
  )
}

/** Moving a checked out branch would make all its files look changed. */
async function requireFreeBranch({ top }: Repository, branch: string): Promise<void> {
  const asked = await git(['for-each-ref', '--format=%(worktreepath)', `refs/heads/${branch}`], { cwd: top })
  const place = asked.stdout.toString('utf8').trim()
  if (place === '') return
  throw new PawlError(
    'workspace.branch-in-use',
    `The branch ${branch} is checked out in ${place}, so nothing is committed to it: switch to another branch there.`,
    { value: branch },
  )
}

async function treeOfFolder({ top, gitDir, folder }: Repository, parent: string | undefined): Promise<string> {
  const place = await mkdtemp(join(gitDir, 'pawl-commit-'))
  const call = { cwd: folder, env: { GIT_INDEX_FILE: join(place, 'index'), ...(await withoutOwnFilters(top, true)) } }
  try {
    await git(parent === undefined ? ['read-tree', '--empty'] : ['read-tree', parent], { ...call, cwd: top })
    await addFiles(call)
    return (await git(['write-tree'], call)).stdout.toString('utf8').trim()
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/**
 * Adds what changed. Submodules and nested repositories stay as they are: `git add` would ask a git that obeys their settings about them.
 */
async function addFiles(call: GitCall): Promise<void> {
  const listed = rawNames((await git(['ls-files', '-z', '--stage'], call)).stdout)
  const repositories = new Set(
    listed.filter((line) => line.startsWith('160000')).map((line) => line.slice(line.indexOf('\t') + 1)),
  )
  const asked = [
    'ls-files',
    '-z',
    '--modified',
    '--deleted',
    '--others',
    '--exclude-standard',
    '--',
    '.',
    ':(exclude,glob)**/.pawl/**',
  ]
  const names = new Set(rawNames((await git(asked, call)).stdout))
  const wanted = [...names].filter((name) => !name.endsWith('/') && !repositories.has(name))
  const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']
  const { exitCode, stderr } = await git(args, { ...call, input: nulEnded(wanted), exitCodes: [0, 128] })
  if (exitCode === 0) return
  const filter = /clean filter '(.+)' failed/.exec(stderr)?.[1]
  if (filter === undefined) throw gitFailure('update-index', call.cwd, stderr)
  throw new PawlError(
    'workspace.own-filter',
    `The repository's own settings define the filter ${filter}, and an agent could have changed them, so nothing is committed: if the filter is yours, define it in your own settings (git config --global filter.${filter}.clean …) and remove it from the repository's.`,
    { value: filter },
  )
}

/** The user's identity, if there is one. */
async function identity({ top }: Repository): Promise<Readonly<Record<string, string>>> {
  const [name, email] = await Promise.all(
    ['user.name', 'user.email'].map(async (key) =>
      (await git(['config', key], { cwd: top, exitCodes: [0, 1] })).stdout.toString('utf8').trim(),
    ),
  )
  if (name && email) return {}
  const [who, where] = ['Pawl', 'pawl@localhost']
  return { GIT_AUTHOR_NAME: who, GIT_AUTHOR_EMAIL: where, GIT_COMMITTER_NAME: who, GIT_COMMITTER_EMAIL: where }
}

async function textOf({ top }: Repository, args: readonly string[]): Promise<string> {
  return (await git(args, { cwd: top })).stdout.toString('utf8').trim()
}
