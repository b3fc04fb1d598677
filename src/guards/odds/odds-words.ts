import { counted } from '../../core/wording.ts'
import type { Odds, UnknownOdds } from './odds.ts'
import { ODDS_KINDS } from './odds-data.ts'
import type { OwnOdds } from './own-odds.ts'

/** Odds in a few words: `chance to succeed from here 12% (214 recorded moments given such a chance)`. */
export function oddsWords(odds: Odds): string {
  if (odds.status === 'unknown') return `chance to succeed from here unknown: ${unknownWords(odds)}`
  const { chance, chanceRecorded, ownLoops } = odds
  const said = `chance to succeed from here ${percentWords(chance)}`
  const given = `${counted(odds.given, 'recorded moment')} given such a chance`
  if (ownLoops === 0) return `${said} (${given})`
  return `${said} (${percentWords(chanceRecorded)} by recorded loops alone, ${given}; moved by ${counted(ownLoops, 'loop')} of your own)`
}

/** Loops and moments are different things, and each is counted as what it is; what was too little to be counted has no number. */
function unknownWords({ tooFew, recorded }: UnknownOdds): string {
  const [what, which] =
    tooFew === 'loops' ? ['recorded loop', 'stood here with as many iterations left'] : ['recorded moment', 'of the same sort']
  if (recorded > 0) return `not enough evidence (${counted(recorded, what)} ${which})`
  return tooFew === 'loops' ? `too few ${what}s ${which}` : `no ${what} is ${which}`
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
