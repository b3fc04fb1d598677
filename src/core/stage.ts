import type { Effect } from './effect.ts'
import { isDone, type State } from './state.ts'

/** Stages are done one after another, the effects of one stage together: returns the first stage that is not done, less what is. */
export function stage(state: State, ...stages: readonly (readonly Effect[])[]): readonly Effect[] {
  for (const effects of stages) {
    const open = effects.filter((effect) => !isDone(state, effect.key))
    if (open.length > 0) return open
  }
  return []
}
