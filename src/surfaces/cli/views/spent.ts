import type { Spent } from '../../../core/spent-of.ts'
import { money } from '../../../core/wording.ts'

/** "$0.12", "at least $0.12"; nothing where no cost is known. */
export function costWords({ costUsd, isCostPartial }: Pick<Spent, 'costUsd' | 'isCostPartial'>): readonly string[] {
  return costUsd === undefined ? [] : [`${isCostPartial ? 'at least ' : ''}${money(costUsd)}`]
}
