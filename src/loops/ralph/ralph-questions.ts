import { claimOf } from '../shared/promises.ts'
import { attemptLines } from '../../core/attempt-lines.ts'
import { accept, goOn, guardOptions } from '../shared/options.ts'
import { ABORT, followedBy, type Question } from '../../core/question.ts'
import { remediation } from '../shared/questions.ts'
import type { State } from '../../core/state.ts'
import { raisesOf, type Trip } from '../../core/trip.ts'

/** What to ask when the agent says that it cannot go on: its reason, and whether that is mended. */
export function blockedQuestion(state: State, reason: string | undefined, trips: readonly Trip[]): Question {
  const limits = trips.map((trip) => trip.message)
  return {
    text: [
      `The agent says it cannot go on: ${reason ?? 'it gives no reason.'}`,
      ...limits,
      'What should it know, or what has to be mended for it?',
    ].join('\n'),
    options: [
      goOn(trips.flatMap(raisesOf), { label: 'It is mended: go on (say what the agent needs to know)' }),
      accept(state),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: [
      `Read what it tried and said before it gave up: pawl show ${state.run}`,
      `Give it what it lacks (a key, an access, a decision), and say so with the answer: pawl answer ${state.run} 1 --note "…"`,
      ...remediation(state, trips),
    ],
  }
}

/** What to ask when a guard trips while the checks pass and nothing was promised. */
export function unclaimedQuestion(state: State, promises: readonly string[], trips: readonly Trip[]): Question {
  const missing =
    promises.length === 0 || claimOf(state) !== undefined
      ? 'More iterations were asked for.'
      : `The agent did not say ${promises.join(' or ')}.`
  const raises = trips.flatMap(raisesOf)
  return {
    text: `The checks pass. ${missing}\nIs it done?`,
    options: [
      followedBy(accept(state, 'Yes: accept it as done'), 'The run is completed: the checks pass on what is there.'),
      goOn(raises, { label: ['No: go on', ...raises.map((raise) => raise.label)].join(', ') }),
      ...guardOptions(state, trips),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: remediation(state, trips),
  }
}

/** What to ask when the agent says that it is done and no check is there to confirm it. */
export function unprovenQuestion(state: State, promise: string, trips: readonly Trip[]): Question {
  const raises = trips.flatMap(raisesOf)
  return {
    text: `The agent says ${promise}, and there is no check or rule that could confirm it.\nIs it done?`,
    options: [
      followedBy(accept(state, 'Yes: accept it as done'), 'The run is completed on your word.'),
      goOn(raises, { label: ['No: go on (say what is missing)', ...raises.map((raise) => raise.label)].join(', ') }),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: [`Look at the work: pawl diff ${state.run} --total`, ...remediation(state, trips)],
  }
}
