import type { BetterScore } from './better-score.ts'
import { initialBetterScore } from './better-score.ts'
import type { SameFailure } from './same-failure.ts'
import { initialSameFailure } from './same-failure.ts'

/** What guards look at, kept up to date by `evolve` at the end of every iteration. */
export interface Measures {
  /** The most tests ever seen in one iteration: tests that vanish never raise the score. */
  readonly testsMax: number
  readonly betterScore: BetterScore
  readonly sameFailure: SameFailure
}

/** Before the first iteration. */
export const initialMeasures: Measures = {
  testsMax: 0,
  betterScore: initialBetterScore,
  sameFailure: initialSameFailure,
}
