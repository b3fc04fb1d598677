import { boundNow } from '../core/bound-words.ts'
import type { Event } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { guardsIn, type Trip } from '../core/trip.ts'
import { isResumedHere } from './is-resumed-here.ts'

/**
 * More iterations do not help an agent that is ended at its time limit each time: how to give it more. Nothing where it was the run
 * whose time was over: another limit of the agent would change nothing then.
 */
export function timeLimitHint(state: State, events: readonly Event[]): readonly string[] {
  const last = events.findLast(({ type }) => type === 'work.failed' || type === 'work.finished' || type === 'work.asked')
  const isOutOfTime = last?.type === 'work.failed' && last.data.reason === 'timed-out' && last.data.fault === 'agent'
  if (!isOutOfTime || state.question === undefined || !isResumedHere(state) || boundNow(state)) return []
  if (state.question.trips.some(isOfTime)) return []
  const who = last.by.name ?? 'The agent'
  const choices = state.question.question.options.filter(
    ({ consequence }) => consequence.kind === 'continue' && !consequence.reply,
  )
  // Which of several ways to go on is right, only the person knows.
  const isPlain = choices[0]?.choice === 'continue'
  const how = isPlain ? 'To give it more:' : 'To give it more, with the number of your answer for N:'
  return choices.length === 0
    ? []
    : [`${who} ran out of time. ${how} pawl resume ${state.run} --timeout 1h --answer ${isPlain ? 'continue' : 'N'}`]
}

/** Whether it was the time of the run that was used up. */
function isOfTime(trip: Trip): boolean {
  const guards = guardsIn(trip)
  const isTopic = trip.topic === undefined || trip.topic === 'time'
  return guards.includes('deadline') || (guards.includes('budget') && isTopic)
}
