import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { git } from './git-program.ts'
import { type Repository, repositoryGone } from './git-repository.ts'
import { absent } from './is-there.ts'

/** What is checked out. */
export interface Head {
  /** Absent where HEAD is detached. */
  readonly branch?: string
  /** Absent before the first commit. */
  readonly commit?: string
}

/**
 * What is checked out, out of git's own files: it is asked at every look, and a program takes longer to start than three files to read.
 * Where refs are kept in another way than as files (reftable), git is asked.
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

/** As a line of a snapshot's message. */
export function headLine({ branch, commit }: Head): string {
  return `head ${branch === undefined ? DETACHED : `${BRANCHES}${branch}`} ${commit ?? UNBORN}`
}

/** The head in a snapshot's message; nothing in one that was kept before heads were. */
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
    // The folder of branches that are no more: this one is packed.
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
