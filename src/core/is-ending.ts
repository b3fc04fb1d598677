import type { State } from './state.ts'

/** Whether nothing of a run's parts is started any more: it is over, or a person's answer ends it. */
export function isEnding({ status, answer }: Pick<State, 'status' | 'answer'>): boolean {
  return status === 'completed' || status === 'aborted' || answer?.kind === 'abort' || answer?.kind === 'accept'
}
