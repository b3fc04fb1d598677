import { attemptLines } from '../../core/attempt-lines.ts'
import { accept, goOn } from '../shared/options.ts'
import { ABORT, followedBy, type Question } from '../../core/question.ts'
import type { State } from '../../core/state.ts'
import { raisesOf, type Trip } from '../../core/trip.ts'

/** What to ask when the run has ended on an error: whether it is mended. Limits that tripped meanwhile are lifted by the same answer. */
export function endedQuestion(state: State, message: string, trips: readonly Trip[]): Question {
  const raises = trips.flatMap(raisesOf)
  return {
    text: [message, ...trips.map((trip) => trip.message), 'Is it mended?'].join('\n'),
    options: [goOn(raises, { label: ['It is mended: try again', ...raises.map((raise) => raise.label)].join(', ') }), ABORT],
    attempts: attemptLines(state),
  }
}

/** What to ask where the tests pass over something that concerns security or is critical: tests prove nothing about that. */
export function graveQuestion(state: State, findings: readonly string[]): Question {
  const lines = findings.map((finding) => `- ${finding}`)
  const guidance = ['A person asks you to mend what the reviewer found, although the tests pass:', ...lines].join('\n')
  return {
    text: ['Every test passed, but a reviewer still finds:', ...lines, 'Does it have to be mended?'].join('\n'),
    options: [
      followedBy(goOn([], { label: 'Yes: have it mended', guidance }), 'The coder is told so, and its work is reviewed again.'),
      accept(state, 'No: accept it as done'),
      ABORT,
    ],
    attempts: attemptLines(state),
  }
}
