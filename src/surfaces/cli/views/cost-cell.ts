import type { Spent } from '../../../core/spent-of.ts'
import { money } from '../../../core/wording.ts'

/** A cost in a table: "$0.12", "≥ $0.12" where only a part is known, or a dash where nothing is. */
export function costCell({ costUsd, isCostPartial }: Pick<Spent, 'costUsd' | 'isCostPartial'>): string {
  return costUsd === undefined ? '-' : `${isCostPartial ? '≥ ' : ''}${money(costUsd)}`
}
