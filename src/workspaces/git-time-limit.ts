import { PawlError } from '../core/pawl-error.ts'

/**
 * How long a call of git may take. It is long because a first snapshot flushes every file to disk, which takes minutes where there are
 * many and the disk is slow.
 */
export const GIT_DURATION_MS_MAX = 15 * 60_000

/** What execa gives for a call that is under way. */
interface GitUnderWay extends PromiseLike<unknown> {
  readonly pid?: number | undefined
}

/**
 * Ends a call of git that takes too long, with every program that it started: all of its process group, at once. A limit of execa's
 * would end a shell alone and then wait for ever for the git below it. Says afterwards whether that happened.
 */
export function limitGit(underWay: GitUnderWay, durationMsMax: number): { readonly isReached: () => boolean } {
  let isReached = false
  const timer = setTimeout(() => {
    isReached = true
    endGroup(underWay.pid)
  }, durationMsMax)
  const stop = (): void => clearTimeout(timer)
  void underWay.then(stop, stop)
  return { isReached: () => isReached }
}

/** A call that was ended because it took too long. */
export function gitLate(command: string, place: string, durationMsMax: number, cause?: unknown): PawlError {
  const limit = durationMsMax < 60_000 ? `${durationMsMax / 1000} seconds` : `${Math.round(durationMsMax / 60_000)} minutes`
  const sentence =
    `git ${command} did not end within ${limit}: it was ended; look in ${place} for what cannot be read to its end, ` +
    'such as a pipe named .gitignore (find . -type p) or a drive that does not answer.'
  return new PawlError('workspace.git-late', sentence, { cause })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It has ended this very moment.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
