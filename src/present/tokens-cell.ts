import type { Spent } from '../core/spent-of.ts'
import { thousands } from '../core/wording.ts'

/** Tokens in a table: "6,564", "≥ 6,564" where only a part is known, "?" where none are; nothing where none were used that would be told. */
export function tokensCell({ tokens, areTokensPartial }: Pick<Spent, 'tokens' | 'areTokensPartial'>): string {
  if (tokens === undefined) return areTokensPartial ? '?' : ''
  return `${areTokensPartial ? '≥ ' : ''}${thousands(tokens)}`
}
