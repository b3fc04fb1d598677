import type { Outcome } from './outcome.ts'
import { PawlError } from './pawl-error.ts'
import { spentOf, totalsSoFar } from './spent-of.ts'
import type { State } from './state.ts'

/** Where the run stands now. A run that waits for a provider is `waiting`. */
export function outcomeOf(state: State): Outcome {
  const { run, question, best, current, message } = state
  const status = state.status === 'running' && state.timer ? 'waiting' : state.status
  const figures = {
    message,
    iterations: current.ended ? current.number : Math.max(0, current.number - 1),
    ...spentOf(totalsSoFar(state)),
    trips: question?.trips ?? [],
  }
  const known = best === undefined ? {} : { best }
  if (status !== 'escalated' && status !== 'stopped') return { run, status, ...figures, ...known }
  if (!question) throw new PawlError('core.no-question', `Run ${run} is ${status} without a question; this is a defect of Pawl.`)
  return { run, status, ...figures, question: question.question, ...known }
}
