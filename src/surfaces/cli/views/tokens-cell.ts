import type { Spent } from '../../../core/spent-of.ts'
import { thousands } from '../../../core/wording.ts'

/** Tokens in a table: "6,564", "≥ 6,564" where only a part is known; nothing where none are. */
export function tokensCell({ tokens, areTokensPartial }: Pick<Spent, 'tokens' | 'areTokensPartial'>): string {
  return tokens === undefined ? '' : `${areTokensPartial ? '≥ ' : ''}${thousands(tokens)}`
}
