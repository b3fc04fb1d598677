import type { Odds } from '../guards/odds/odds.ts'
import { oddsWords } from '../guards/odds/odds-words.ts'
import { runOdds } from '../guards/odds/run-odds.ts'
import { raised } from '../core/raised.ts'
import type { State } from '../core/state.ts'

/** What is known of the chance of a run that is not over. */
export interface OddsNow {
  /** The chance to succeed from here, in the iterations that are left. */
  readonly odds?: Odds
  /** At the maximum none is left: the chance with the maximum that the recommended answer gives it. */
  readonly oddsIfRaised?: { readonly iterationsMax: number; readonly odds: Odds }
}

/** The odds of a run; none for one that is over. */
export function oddsNow(state: State): OddsNow {
  if (state.status === 'completed' || state.status === 'aborted') return {}
  const odds = runOdds(state)
  if (odds) return { odds }
  const option = state.question?.question.options.find(({ recommended }) => recommended)
  const raises = option?.consequence.kind === 'continue' ? (option.consequence.raises ?? []) : []
  const to = raises.find(({ guard }) => guard === 'maxIterations')?.to
  const after = to === undefined ? undefined : runOdds({ ...state, config: raised(state.config, raises).config })
  return after && to !== undefined ? { oddsIfRaised: { iterationsMax: to, odds: after } } : {}
}

/** Odds in a few words; nothing where the question makes no sense. */
export function oddsNowWords({ odds, oddsIfRaised }: OddsNow): string | undefined {
  if (odds) return oddsWords(odds)
  return oddsIfRaised && `with up to ${oddsIfRaised.iterationsMax} iterations: ${oddsWords(oddsIfRaised.odds)}`
}
