import type { Spent } from '../../../core/spent-of.ts'
import { money, thousands } from '../../../core/wording.ts'

/** "$0.12", "at least $0.12"; nothing where no cost is known. */
export function costWords({ costUsd, isCostPartial }: Pick<Spent, 'costUsd' | 'isCostPartial'>): readonly string[] {
  return costUsd === undefined ? [] : [`${isCostPartial ? 'at least ' : ''}${money(costUsd)}`]
}

/** "6,564 tokens", "at least 6,564 tokens"; nothing where none are known. */
export function tokensWords({ tokens, areTokensPartial }: Pick<Spent, 'tokens' | 'areTokensPartial'>): readonly string[] {
  return tokens === undefined ? [] : [`${areTokensPartial ? 'at least ' : ''}${thousands(tokens)} tokens`]
}
