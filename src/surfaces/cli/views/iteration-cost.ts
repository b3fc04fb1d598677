import { type Spent, spentOf } from '../../../core/spent-of.ts'
import type { State } from '../../../core/state.ts'

/** What the iteration that has just ended cost, as far as that is known. */
export function iterationCost(costUsd: number, { totals, current }: State): Pick<Spent, 'costUsd' | 'isCostPartial'> {
  const unpriced = (totals.unpriced ?? 0) - (current.totalsAtStart.unpriced ?? 0)
  const { tokens: _these, activeMs: _too, ...cost } = spentOf({ costUsd, tokens: 0, activeMs: 0, unpriced })
  return cost
}
