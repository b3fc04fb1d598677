import { counted, shortened } from '../core/wording.ts'
import { branchWords, type Head } from './git-head.ts'
import { git } from './git-program.ts'
import type { Repository } from './git-repository.ts'

/**
 * What became of HEAD between two looks, as notes: commits that were made, a branch that was switched or moved. Says what is, not who did
 * it: that may have been the agent, a check or a person. Where nothing became of it no program is started, otherwise one.
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
  // Moved back, or to where git cannot compare.
  if (!last) return `${where} is at ${now.commit.slice(0, SHORT)} now; it was at ${was.commit?.slice(0, SHORT) ?? 'no commit'}`
  const least = commits.length === COMMITS_MAX ? 'at least ' : ''
  const which = come.length === 1 ? `: ${last.words}` : `, the last one ${last.words}`
  return `${least}${counted(come.length, 'new commit')} on ${where}${which}${gone}`
}

interface FoundCommit {
  /** No longer to be reached from HEAD. */
  readonly isGone: boolean
  /** "abc1234 Subject". */
  readonly words: string
}

/** The newest first; none where git does not know them any more. */
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

/** A subject is an agent's words: none of them may move a terminal's cursor. */
const CONTROL = /\p{Cc}/gu
