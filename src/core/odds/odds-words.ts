import { counted } from '../wording.ts'
import type { Odds } from './odds.ts'
import { ODDS_KINDS } from './odds-kind.ts'
import type { OwnOdds } from './own-odds.ts'

/** Odds in a few words: `chance to succeed from here 12% (214 similar moments)`. Where none is similar, none is counted. */
export function oddsWords(odds: Odds): string {
  const similar = counted(odds.similar, 'similar moment')
  if (odds.status === 'unknown')
    return `chance to succeed from here unknown: ${odds.similar === 0 ? 'too few such moments are recorded' : `not enough evidence (${similar})`}`
  const own = odds.ownLoops > 0 ? `, ${counted(odds.ownLoops, 'loop')} of your own` : ''
  return `chance to succeed from here ${percentWords(odds.chance)} (${similar}${own})`
}

/** What one's own loops do to the odds, in a few words: `moved by 12 loops of your own, which went better than the recorded ones`. */
export function ownOddsWords(own: OwnOdds): string {
  const told = ODDS_KINDS.flatMap((kind) => {
    const { loops = 0, shift = 0 } = own[kind] ?? {}
    const what = kind === 'attempts' ? 'loop' : 'session'
    return loops === 0 ? [] : [`moved by ${counted(loops, what)} of your own, ${wentWords(shift)}`]
  })
  return told.length === 0 ? 'from recorded loops alone; no run of your own has said anything yet' : told.join('; ')
}

/** Less than this moves no chance by more than about a hundredth. */
const SHIFT_TOLD_MIN = 0.05

function wentWords(shift: number): string {
  if (Math.abs(shift) < SHIFT_TOLD_MIN) return 'which went about as the recorded ones'
  return `which went ${shift > 0 ? 'better' : 'worse'} than the recorded ones`
}

/** A share as a person says it; what is nearly nothing or nearly certain is said as such. */
export function percentWords(share: number): string {
  if (share < 0.01) return 'under 1%'
  return share > 0.99 ? 'over 99%' : `${Math.round(100 * share)}%`
}
