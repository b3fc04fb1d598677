import type { Iteration, State } from './state.ts'

/** The state with something changed in the iteration under way. */
export function within(state: State, change: Partial<Iteration>): State {
  return { ...state, current: { ...state.current, ...change } }
}
