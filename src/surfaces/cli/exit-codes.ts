import type { Question } from '../../core/question.ts'
import type { RunStatus } from '../../core/state.ts'

/** What scripts can rely on. */
export const EXIT = {
  done: 0,
  /** Something is wrong with the machine, the run's parts or Pawl itself. */
  error: 1,
  /** Bad flags, a bad pawl.yaml or a bad document. */
  usage: 2,
  /** A person has to answer. */
  waiting: 3,
  /** A limit ended the run without success. */
  stopped: 4,
  aborted: 5,
  /** Another process drives the run. */
  held: 6,
  /** A person has to fix the set-up: a wrong key, a missing program, a check that can't run. */
  setUp: 7,
  /** `pawl check --exit-code`: another iteration is wanted. */
  retry: 10,
  /** Ctrl-C: paused, and can be resumed. */
  interrupted: 130,
} as const

/** The exit code for a run's state. A question about the set-up has its own: no answer helps before something is fixed. */
export function exitCodeOf({ status, question }: Standing): number {
  return status === 'escalated' && question?.code === 'problem' ? EXIT.setUp : codes[status]
}

interface Standing {
  readonly status: RunStatus | 'held'
  readonly question?: Pick<Question, 'code'>
}

const codes: Readonly<Record<RunStatus | 'held', number>> = {
  completed: EXIT.done,
  escalated: EXIT.waiting,
  waiting: EXIT.waiting,
  stopped: EXIT.stopped,
  aborted: EXIT.aborted,
  paused: EXIT.interrupted,
  running: EXIT.error,
  held: EXIT.held,
}

/**
 * Exits quietly if nobody reads the output any more (`pawl log RUN | head`, or a closed terminal). A command that drives a run continues
 * without output: the journal has everything.
 */
export function exitOnClosedOutput(isDriving: boolean): void {
  const mind = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    if (!isDriving) process.exit(EXIT.done)
  }
  process.stdout.on('error', mind)
  process.stderr.on('error', mind)
}
