import type { Totals } from './state.ts'
import { counted } from './wording.ts'

/** "the cost of 2 pieces of work is not known"; nothing where all of it is. */
export function costUnknownWords({ unpriced = 0 }: Pick<Totals, 'unpriced'>): string | undefined {
  if (unpriced === 0) return undefined
  return `the cost of ${unpriced === 1 ? 'one piece' : counted(unpriced, 'piece')} of work is not known`
}
