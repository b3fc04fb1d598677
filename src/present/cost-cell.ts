import type { Spent } from '../core/spent-of.ts'
import { money } from '../core/wording.ts'
import { isSpentUnknown } from './spent.ts'

/** A cost in a table: "$0.12", "≥ $0.12" where only a part is known, "?" where neither it nor tokens are, a dash where nobody tells one. */
export function costCell(spent: Omit<Spent, 'activeMs'>): string {
  const { costUsd, isCostPartial } = spent
  if (costUsd === undefined) return isSpentUnknown(spent) ? '?' : '-'
  return `${isCostPartial ? '≥ ' : ''}${money(costUsd)}`
}
