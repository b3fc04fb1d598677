import { counted } from '../wording.ts'
import type { Odds } from './odds.ts'

/** Odds in a few words: `chance to succeed from here 12% (214 similar moments)`. */
export function oddsWords(odds: Odds): string {
  const similar = counted(odds.similar, 'similar moment')
  if (odds.status === 'unknown') return `chance to succeed from here unknown: not enough evidence (${similar})`
  const own = odds.ownLoops > 0 ? `, ${counted(odds.ownLoops, 'loop')} of your own` : ''
  return `chance to succeed from here ${percentWords(odds.chance)} (${similar}${own})`
}

/** A share as a person says it; what is nearly nothing or nearly certain is said as such. */
export function percentWords(share: number): string {
  if (share < 0.01) return 'under 1%'
  return share > 0.99 ? 'over 99%' : `${Math.round(100 * share)}%`
}
