import type { State } from '../../core/state.ts'
import { type Odds, oddsOf } from './odds.ts'
import { ownOddsIn } from './with-own-odds.ts'

/** The odds of a run as its own guard sees them: with what one's own loops taught, where `worthContinuing` was told of it. */
export function runOdds(state: State): Odds | undefined {
  return oddsOf(state, ownOddsIn(state.config.guards))
}
