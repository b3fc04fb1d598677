import { type Spent, spentOf } from '../core/spending.ts'
import { money, thousands } from '../core/wording.ts'
import type { IterationEnded } from '../core/event-data.ts'
import type { State } from '../core/state.ts'

/** "$0.12" and "6,564 tokens", as far as they are known; "cost and tokens not known" where something was used and nobody reported a figure. */
export function spentWords(spent: Omit<Spent, 'activeMs'>): readonly string[] {
  return isSpentUnknown(spent) ? ['cost and tokens not known'] : [...costWords(spent), ...tokensWords(spent)]
}

/** "$0.12", "at least $0.12", "$0.12 (estimated)"; nothing if no cost is known. */
export function costWords({
  costUsd,
  isCostPartial,
  isCostEstimated,
}: Pick<Spent, 'costUsd' | 'isCostPartial' | 'isCostEstimated'>): readonly string[] {
  const estimated = isCostEstimated ? ' (estimated)' : ''
  return costUsd === undefined ? [] : [`${isCostPartial ? 'at least ' : ''}${money(costUsd)}${estimated}`]
}

/** "6,564 tokens", "at least 6,564 tokens"; nothing if none are known. */
function tokensWords({ tokens, areTokensPartial }: Pick<Spent, 'tokens' | 'areTokensPartial'>): readonly string[] {
  return tokens === undefined ? [] : [`${areTokensPartial ? 'at least ' : ''}${thousands(tokens)} tokens`]
}

/** Whether something was used of which there is no figure at all. */
function isSpentUnknown({ costUsd, tokens, areTokensPartial }: Omit<Spent, 'activeMs'>): boolean {
  return costUsd === undefined && tokens === undefined && areTokensPartial === true
}

/** A cost in a table: "$0.12", "≥ $0.12" if only a part is known, "~ $0.12" if estimated, "?" if neither it nor tokens are known, a dash if nobody reports one. */
export function costCell(spent: Omit<Spent, 'activeMs'>): string {
  const { costUsd, isCostPartial, isCostEstimated } = spent
  if (costUsd === undefined) return isSpentUnknown(spent) ? '?' : '-'
  return `${isCostPartial ? '≥ ' : isCostEstimated ? '~ ' : ''}${money(costUsd)}`
}

/** Tokens in a table: "6,564", "≥ 6,564" if only a part is known, "?" if none are; nothing if none were used that an agent would report. */
export function tokensCell({ tokens, areTokensPartial }: Pick<Spent, 'tokens' | 'areTokensPartial'>): string {
  if (tokens === undefined) return areTokensPartial ? '?' : ''
  return `${areTokensPartial ? '≥ ' : ''}${thousands(tokens)}`
}

/** What the iteration that has just ended took, as far as that is known. */
export function iterationSpent(
  { costUsd, tokens }: Pick<IterationEnded, 'costUsd' | 'tokens'>,
  state: State,
): Omit<Spent, 'activeMs'> {
  const [unpriced, uncounted] = [newlyUnknown(state, 'unpriced'), newlyUnknown(state, 'uncounted')]
  const { activeMs: _not, ...spent } = spentOf({ costUsd, tokens, activeMs: 0, unpriced, uncounted })
  return spent
}

/** How much of it is not known: what became known meanwhile was of earlier work, unless all is known now. */
function newlyUnknown({ totals, current: { totalsAtStart, settled } }: State, what: 'unpriced' | 'uncounted'): number {
  const now = totals[what] ?? 0
  return now === 0 ? 0 : now - (totalsAtStart[what] ?? 0) + (settled?.[what] ?? 0)
}
