import type { GuardSpec } from '../run-config.ts'
import type { State } from '../state.ts'
import { type Odds, oddsOf } from './odds.ts'
import type { OwnOdds } from './own-odds.ts'

/** The odds of a run as its own guard sees them: with what one's own loops taught, where `worthContinuing` was told of it. */
export function runOdds(state: State): Odds | undefined {
  return oddsOf(state, ownIn(state.config.guards))
}

function ownIn(guards: readonly GuardSpec[]): OwnOdds | undefined {
  const found = guards.map(({ name, settings, parts }) => {
    const own = name === 'worthContinuing' ? (settings['own'] as OwnOdds | undefined) : undefined
    return own ?? ownIn(parts ?? [])
  })
  return found.find((own) => own !== undefined)
}
