import { PawlError } from '../core/pawl-error.ts'
import { shellWord } from '../core/shell-word.ts'
import type { OtherBranch } from './workspace.ts'
import { branchWords, readHead } from './git-head.ts'
import type { Repository } from './git-repository.ts'
import { isOwnWorktree, type KeptSnapshot } from './git-snapshot.ts'

/**
 * Which branch is checked out, where that is another than when the snapshot was kept. To make its files equal to the snapshot would undo,
 * in the folder, what is committed on it. At the very commit of the snapshot nothing is committed that could be undone, so a branch made
 * there, or a detached HEAD, is as good as the same. In a worktree of the run's own nobody else switches branches.
 */
export async function otherBranch(repository: Repository, { head: was }: KeptSnapshot): Promise<OtherBranch | undefined> {
  if (was === undefined || isOwnWorktree(repository.top)) return undefined
  const now = await readHead(repository)
  if (now.branch === was.branch || now.commit === was.commit) return undefined
  const back = was.branch === undefined ? `--detach ${was.commit}` : shellWord(was.branch)
  return { was: branchWords(was), now: branchWords(now), command: `git switch ${back}` }
}

/** Says on which branch the files are, and the way back to that of the snapshot. */
export function onOtherBranch({ folder }: Repository, { snapshot }: KeptSnapshot, { was, now, command }: OtherBranch): PawlError {
  return new PawlError(
    'workspace.other-branch',
    `In ${folder} ${now} is checked out, while ${snapshot} was kept on ${was}, so nothing was put back, for that would undo what is committed on ${now}: switch back with "${command}" and resume the run.`,
    { value: now },
  )
}
