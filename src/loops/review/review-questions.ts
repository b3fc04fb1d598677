import { attemptLines } from '../../core/attempt-lines.ts'
import { ABORT, goOn } from '../../core/question-options.ts'
import type { Question } from '../../core/question.ts'
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
