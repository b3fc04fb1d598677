import { counted } from '../../core/wording.ts'
import type { Odds } from './odds.ts'
import { ODDS_KINDS } from './odds-data.ts'
import type { OwnOdds } from './own-odds.ts'

/**
 * Odds in a few words: `~10%: 58 of 504 comparable recorded cases succeeded`. Nothing after a first failure, which says little, and
 * nothing if too few cases are comparable.
 */
export function oddsWords(odds: Odds): string | undefined {
  if (odds.status === 'unknown' || odds.iteration < 2) return undefined
  const { chance, given, endedWell, ownLoops } = odds
  const own = ownLoops === 0 ? '' : `, adjusted by ${counted(ownLoops, 'run')} of your own`
  // The recorded share, so that the percentage and the counts agree; the estimate itself is in the JSON.
  const share = percentWords(ownLoops === 0 && given > 0 ? endedWell / given : chance)
  return `${/^\d/.test(share) ? '~' : ''}${share}: ${endedWell} of ${given} comparable recorded cases succeeded${own}`
}

/** What one's own loops do to the odds, in a few words: `moved by 12 loops of your own, which went better than the recorded ones`. */
export function ownOddsWords(own: OwnOdds): string {
  const told = ODDS_KINDS.flatMap((kind) => {
    const { loops = 0, shift = 0 } = own[kind] ?? {}
    const what = kind === 'attempts' ? 'loop' : 'session'
    return loops === 0 ? [] : [`adjusted by ${counted(loops, what)} of your own, ${wentWords(shift)}`]
  })
  return told.length === 0 ? 'from recorded loops alone; none of your own runs counts yet' : told.join('; ')
}

/** Less than this moves no chance by more than about a hundredth. */
const SHIFT_TOLD_MIN = 0.05

function wentWords(shift: number): string {
  if (Math.abs(shift) < SHIFT_TOLD_MIN) return 'which did about as well as the recorded ones'
  return `which did ${shift > 0 ? 'better' : 'worse'} than the recorded ones`
}

/** A share as a person says it; what is nearly nothing or nearly certain is said as such. */
export function percentWords(share: number): string {
  if (share < 0.01) return 'under 1%'
  return share > 0.99 ? 'over 99%' : `${Math.round(100 * share)}%`
}
