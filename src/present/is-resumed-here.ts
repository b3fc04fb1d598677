import type { State } from '../core/state.ts'

/** Whether `pawl resume` with other settings does anything: not on a run that is over, nor on one that only its program goes on with. */
export function isResumedHere({ status, config }: State): boolean {
  return status !== 'completed' && status !== 'aborted' && config.program === undefined
}
