import { type ActionsSeen, initialActions } from './actions.ts'
import { type BetterScore, initialBetterScore } from './better-score.ts'
import { type Churn, initialChurn } from './churn.ts'
import { initialLedger, type Ledger } from './ledger.ts'
import { initialSameFailure, type SameFailure } from './same-failure.ts'
import { initialTrend, type Trend } from './trend.ts'

/** What guards look at, kept up to date by `evolve` at the end of every iteration. */
export interface Measures {
  readonly betterScore: BetterScore
  readonly sameFailure: SameFailure
  readonly ledger: Ledger
  readonly trend: Trend
  readonly churn: Churn
  readonly actions: ActionsSeen
  /** The last iteration that is no longer held against anybody: after it a person stepped in, or another item began. Default 0. */
  readonly since: number
}

/** Before the first iteration. */
export const initialMeasures: Measures = {
  betterScore: initialBetterScore,
  sameFailure: initialSameFailure,
  ledger: initialLedger,
  trend: initialTrend,
  churn: initialChurn,
  actions: initialActions,
  since: 0,
}

/** What belongs to attempts at one goal begins anew after the iteration `since`; what is known of the tests stays. */
export function measuresAnew(measures: Measures, since: number): Measures {
  return { ...initialMeasures, ledger: measures.ledger, since }
}
