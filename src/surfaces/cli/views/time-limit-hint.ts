import type { Event } from '../../../core/event.ts'
import type { State } from '../../../core/state.ts'
import { isResumedHere } from './is-resumed-here.ts'

/** More iterations do not help an agent that is ended at its time limit each time: how to give it more. */
export function timeLimitHint(state: State, events: readonly Event[]): readonly string[] {
  const last = events.findLast((event) => event.type === 'work.failed' || event.type === 'work.finished')
  const isOutOfTime = last?.type === 'work.failed' && last.data.reason === 'timed-out' && last.data.fault === 'agent'
  if (!isOutOfTime || state.question === undefined || !isResumedHere(state)) return []
  const who = last.by.name ?? 'The agent'
  const goOn = state.question.question.options.find(({ consequence }) => consequence.kind === 'continue')
  const answer = goOn ? ` --answer ${goOn.choice}` : ''
  return [`${who} ran out of time. To give it more: pawl resume ${state.run} --timeout 1h${answer}`]
}
