import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PawlError } from '../../core/pawl-error.ts'
import { git } from './git-program.ts'
import { headCommit, type Repository } from './git-repository.ts'

export interface WantedCommit {
  /** What tells this commit from all others of the run; the same one is made once. */
  readonly key: string
  readonly branch: string
  readonly message: string
}

/**
 * Puts the folder's files on a branch, on top of what is there or else of HEAD, as `git add --all` and `git commit` would: with the
 * user's filters, ignore rules and identity, but in an index of its own and without hooks. HEAD, the user's index and the files stay.
 */
export async function commitFolder(
  repository: Repository,
  run: string,
  { key, branch, message }: WantedCommit,
): Promise<{ readonly commit?: string }> {
  const { top } = repository
  const ref = `refs/heads/${branch}`
  await requireFreeBranch(repository, branch)
  const tip = await commitAt(repository, ref)
  const mark = `Pawl-Run: ${run} ${key}`
  if (tip !== undefined && (await messageOf(repository, tip)).split('\n').includes(mark)) return { commit: tip }
  const parent = tip ?? (await headCommit(repository))
  const tree = await treeOfFolder(repository, parent)
  if (parent !== undefined && tree === (await textOf(repository, ['rev-parse', `${parent}^{tree}`]))) return {}
  const parents = parent === undefined ? [] : ['-p', parent]
  const text = Buffer.from(`${message.trim()}\n\n${mark}\n`, 'utf8').toString('latin1')
  const made = await git(['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', tree], {
    cwd: top,
    input: text,
    env: await identity(repository),
  })
  const commit = made.stdout.toString('utf8').trim()
  // The old value too: a branch that somebody moved meanwhile is not moved back.
  await git(['update-ref', '-m', `pawl ${run}`, ref, commit, tip ?? '0'.repeat(commit.length)], { cwd: top })
  return { commit }
}

/** Moving a branch that is checked out would make every file of it look changed. */
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
  const call = { cwd: folder, env: { GIT_INDEX_FILE: join(place, 'index') } }
  try {
    await git(parent === undefined ? ['read-tree', '--empty'] : ['read-tree', parent], { ...call, cwd: top })
    await git(['add', '--all', '--', '.', ':(exclude,glob)**/.pawl/**'], call)
    return (await git(['write-tree'], call)).stdout.toString('utf8').trim()
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** The user's own, where there is one. */
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

async function commitAt(repository: Repository, ref: string): Promise<string | undefined> {
  const found = await git(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { cwd: repository.top, exitCodes: [0, 1] })
  return found.exitCode === 0 ? found.stdout.toString('utf8').trim() : undefined
}

function messageOf(repository: Repository, commit: string): Promise<string> {
  return textOf(repository, ['log', '-1', '--format=%B', commit])
}

async function textOf({ top }: Repository, args: readonly string[]): Promise<string> {
  return (await git(args, { cwd: top })).stdout.toString('utf8').trim()
}
