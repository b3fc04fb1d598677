import type { Folds } from '../core/definition.ts'
import { evolveAllWith, evolveWith } from '../core/evolve.ts'
import type { Event } from '../core/event.ts'
import type { LoopFold } from '../core/loop.ts'
import type { State } from '../core/state.ts'
import { parallelFold } from './parallel/fold.ts'
import { researchFold } from './research/fold.ts'
import { reviewFold } from './review/fold.ts'
import { promiseFold } from './shared/promises.ts'
import { taskFold } from './task/fold.ts'

const FOLDS: Readonly<Record<string, LoopFold | undefined>> = {
  parallel: parallelFold,
  task: taskFold,
  ralph: promiseFold,
  review: reviewFold,
  research: researchFold,
}

/** The folds of the built-in loops: for whoever reads journals and does not drive them. */
export const builtInFolds: Folds = ({ name }) => FOLDS[name]

/** Folds one event of a built-in loop into the state; of any other loop, only what the core knows. */
export function evolve(state: State | undefined, event: Event): State {
  return evolveWith(builtInFolds, state, event)
}

/** Folds many events. */
export function evolveAll(state: State | undefined, events: readonly Event[]): State | undefined {
  return evolveAllWith(builtInFolds, state, events)
}
