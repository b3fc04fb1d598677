import type { Guard } from '../guard.ts'
import type { JsonObject } from '../json.ts'
import { chanceLimit, GIVEN_UP_FROM_ITERATION, onceInAllowing } from '../odds/chance-limit.ts'
import { type KnownOdds, oddsOf } from '../odds/odds.ts'
import { percentWords } from '../odds/odds-words.ts'
import type { OwnOdds } from '../odds/own-odds.ts'
import { requireIntegerAtLeast } from '../require.ts'
import type { State } from '../state.ts'
import type { Severity, Trip } from '../trip.ts'
import { counted } from '../wording.ts'

export interface WorthContinuingOptions {
  /** Of the runs that would have succeeded, at most one in so many may be given up. Default 50. */
  readonly giveUpASuccessAtMostOnceIn?: number
  /** What one's own runs taught, as `ownOdds` says it. Default nothing: the recorded loops alone. */
  readonly own?: OwnOdds
  /** Default `warn`: the agent is told; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when so few recorded loops still succeeded from moments like this one that going on is not worth it: the chance to succeed from
 * here is below what the promise allows. Where too few moments are similar it says nothing.
 */
export function worthContinuing(options: WorthContinuingOptions = {}): Guard {
  const { giveUpASuccessAtMostOnceIn: onceIn = 50, own, severity = 'warn' } = options
  requireIntegerAtLeast('worthContinuing', 'giveUpASuccessAtMostOnceIn', onceIn, 2)
  const settings = { giveUpASuccessAtMostOnceIn: onceIn, ...(own ? { own: own as unknown as JsonObject } : {}) }
  return {
    spec: { name: 'worthContinuing', v: 1, severity, settings },
    inspect: (state) => {
      const odds = oddsOf(state, own)
      if (odds?.status !== 'known' || odds.iteration < GIVEN_UP_FROM_ITERATION) return []
      const limit = chanceLimit(odds.kind, onceIn)
      return odds.chance < limit ? [tripOf(state, odds, limit, onceIn, severity)] : []
    },
  }
}

function tripOf(state: State, odds: KnownOdds, limit: number, onceIn: number, severity: Severity): Trip {
  const { kind, chance, similar } = odds
  const to = Math.max(onceIn + 1, onceInAllowing(kind, chance))
  const left = counted(odds.chanceWithin.length, 'iteration')
  return {
    guard: 'worthContinuing',
    severity,
    message: `The chance to succeed in the ${left} left is ${percentWords(chance)}: so few loops did from ${counted(similar, 'similar moment')}.`,
    evidence: {
      facts: state.recent.slice(-FACTS_MAX).map(({ seq }) => seq),
      measures: {
        kind,
        chance: rounded(chance),
        chanceMin: limit,
        similar,
        ownLoops: odds.ownLoops,
        giveUpASuccessAtMostOnceIn: onceIn,
      },
    },
    hint: 'A better score, another failure or work not tried before would have let it go on: what was done so far leads nowhere, so do something quite different.',
    raise: {
      guard: 'worthContinuing',
      setting: 'giveUpASuccessAtMostOnceIn',
      to,
      label: `give up at most one success in ${to}`,
    },
  }
}

const FACTS_MAX = 10

function rounded(chance: number): number {
  return Number(chance.toFixed(4))
}
