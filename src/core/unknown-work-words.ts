import type { Totals } from './state.ts'
import { counted } from './wording.ts'

/** "the cost of 2 pieces of work is not known"; nothing where all of it is. */
export function costUnknownWords({ unpriced = 0 }: Pick<Totals, 'unpriced'>): string | undefined {
  return unpriced === 0 ? undefined : `the cost of ${pieces(unpriced)} of work is not known`
}

/** "the tokens of 2 pieces of work are not all known"; nothing where they are. */
export function tokensUnknownWords({ uncounted = 0 }: Pick<Totals, 'uncounted'>): string | undefined {
  return uncounted === 0 ? undefined : `the tokens of ${pieces(uncounted)} of work are not all known`
}

function pieces(count: number): string {
  return count === 1 ? 'one piece' : counted(count, 'piece')
}
