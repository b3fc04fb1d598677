import { attemptLines } from '../../core/attempt-lines.ts'
import { ABORT, accept, followedBy, goOn } from '../../core/question-options.ts'
import type { Question, Raise } from '../../core/question.ts'
import type { State } from '../../core/state.ts'
import type { Trip } from '../../core/trip.ts'

/** What to ask when the agent says that it cannot go on: its reason, and whether that is mended. */
export function blockedQuestion(state: State, reason: string | undefined, trips: readonly Trip[]): Question {
  const limits = trips.map((trip) => trip.message)
  return {
    text: [
      `The agent says it cannot go on: ${reason ?? 'it gives no reason.'}`,
      ...limits,
      'What should it know, or what has to be mended for it?',
    ].join('\n'),
    options: [goOn(raisesOf(trips), { label: 'It is mended: go on (say what the agent needs to know)' }), accept(state), ABORT],
    attempts: attemptLines(state),
  }
}

/** What to ask when a guard trips while the checks pass and nothing was promised. */
export function unclaimedQuestion(state: State, promises: readonly string[], trips: readonly Trip[]): Question {
  const missing =
    promises.length === 0 || state.current.claim !== undefined
      ? 'More iterations were asked for.'
      : `The agent did not say ${promises.join(' or ')}.`
  return {
    text: `The checks pass. ${missing}\nIs it done?`,
    options: [
      followedBy(accept(state, 'Yes: accept it as done'), 'The run is completed: the checks pass on what is there.'),
      goOn(raisesOf(trips), { label: labelled('No: go on', raisesOf(trips)) }),
      ABORT,
    ],
    attempts: attemptLines(state),
  }
}

function raisesOf(trips: readonly Trip[]): readonly Raise[] {
  return trips.flatMap((trip) => (trip.raise ? [trip.raise] : []))
}

function labelled(label: string, raises: readonly Raise[]): string {
  return [label, ...raises.map((raise) => raise.label)].join(', ')
}
