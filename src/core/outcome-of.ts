import type { Outcome } from './outcome.ts'
import { spentOf, totalsSoFar } from './spent-of.ts'
import type { State } from './state.ts'

/** Where the run stands now. A run that waits for a provider is `waiting`. */
export function outcomeOf(state: State): Outcome {
  const { question, best } = state
  return {
    run: state.run,
    status: state.status === 'running' && state.timer ? 'waiting' : state.status,
    message: state.message,
    iterations: state.current.ended ? state.current.number : Math.max(0, state.current.number - 1),
    ...spentOf(totalsSoFar(state)),
    trips: question?.trips ?? [],
    ...(question === undefined ? {} : { question: question.question }),
    ...(best === undefined ? {} : { best }),
  }
}
