import { chanceLimit } from '../../src/guards/worth-continuing.ts'
import { ODDS_KINDS, type OddsKind } from '../../src/guards/odds/odds-data.ts'
import { SHIPPED_ODDS } from '../../src/guards/odds/shipped-odds.ts'

/** The promises that are shown. */
export const SHOWN_PROMISES: readonly number[] = [5, 10, 20, 33, 50, 100, 200, 500, 1000]

/** What each promise means in the odds that ship, as a Markdown table: it needs no recorded loops. */
export function limitLines(): readonly string[] {
  const lines = SHOWN_PROMISES.map((onceIn) => {
    const cells = ODDS_KINDS.flatMap((kind) => [limitWords(kind, onceIn), worthWords(chanceLimit(kind, onceIn))])
    return `| 1 in ${onceIn} | ${cells.join(' | ')} |`
  })
  const heads = ODDS_KINDS.flatMap((kind) => [`${kind}: given up below`, 'a success is worth at most'])
  return [`| promise | ${heads.join(' | ')} |`, '|--:|--:|--:|--:|--:|', ...lines]
}

function limitWords(kind: OddsKind, onceIn: number): string {
  const limit = chanceLimit(kind, onceIn)
  return `${percentOf(limit)}${limit > 0 && limit <= SHIPPED_ODDS[kind].circleChance ? ', circles only' : ''}`
}

/** What continuing may cost for one success: iterations for each iteration left. */
function worthWords(limit: number): string {
  return limit === 0 ? '–' : `${Math.round(1 / limit)} times the iterations left`
}

/** A chance in percent with two digits that count. */
export function percentOf(chance: number): string {
  return chance === 0 ? 'nothing' : `${Number((100 * chance).toPrecision(2))}%`
}
