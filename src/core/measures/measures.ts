import type { BetterScore } from './better-score.ts'
import { initialBetterScore } from './better-score.ts'
import type { Ledger } from './ledger.ts'
import { initialLedger } from './ledger.ts'
import type { SameFailure } from './same-failure.ts'
import { initialSameFailure } from './same-failure.ts'

/** What guards look at, kept up to date by `evolve` at the end of every iteration. */
export interface Measures {
  readonly betterScore: BetterScore
  readonly sameFailure: SameFailure
  readonly ledger: Ledger
}

/** Before the first iteration. */
export const initialMeasures: Measures = {
  betterScore: initialBetterScore,
  sameFailure: initialSameFailure,
  ledger: initialLedger,
}
