import { attemptLines } from '../../core/attempt-lines.ts'
import { ABORT, goOn } from '../../core/question-options.ts'
import type { Question } from '../../core/question.ts'
import type { State } from '../../core/state.ts'

/** What to ask when the run has ended on an error: whether it is mended. */
export function endedQuestion(state: State, message: string): Question {
  return {
    text: `${message}\nIs it mended?`,
    options: [goOn([], { label: 'It is mended: try again (say what is to be known)' }), ABORT],
    attempts: attemptLines(state),
  }
}
