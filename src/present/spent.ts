import type { Spent } from '../core/spent-of.ts'
import { money, thousands } from '../core/wording.ts'

/** "$0.12" and "6,564 tokens", as far as they are known; "cost and tokens not known" where something was used and nobody told a figure. */
export function spentWords(spent: Omit<Spent, 'activeMs'>): readonly string[] {
  return isSpentUnknown(spent) ? ['cost and tokens not known'] : [...costWords(spent), ...tokensWords(spent)]
}

/** "$0.12", "at least $0.12"; nothing where no cost is known. */
export function costWords({ costUsd, isCostPartial }: Pick<Spent, 'costUsd' | 'isCostPartial'>): readonly string[] {
  return costUsd === undefined ? [] : [`${isCostPartial ? 'at least ' : ''}${money(costUsd)}`]
}

/** "6,564 tokens", "at least 6,564 tokens"; nothing where none are known. */
function tokensWords({ tokens, areTokensPartial }: Pick<Spent, 'tokens' | 'areTokensPartial'>): readonly string[] {
  return tokens === undefined ? [] : [`${areTokensPartial ? 'at least ' : ''}${thousands(tokens)} tokens`]
}

/** Whether something was used of which there is no figure at all. */
export function isSpentUnknown({ costUsd, tokens, areTokensPartial }: Omit<Spent, 'activeMs'>): boolean {
  return costUsd === undefined && tokens === undefined && areTokensPartial === true
}
