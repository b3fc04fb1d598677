import type { IterationEnded } from '../../../core/event-data.ts'
import { type Spent, spentOf } from '../../../core/spent-of.ts'
import type { State } from '../../../core/state.ts'

/** What the iteration that has just ended took, as far as that is known. */
export function iterationSpent(
  { costUsd, tokens }: Pick<IterationEnded, 'costUsd' | 'tokens'>,
  { totals, current: { totalsAtStart } }: State,
): Omit<Spent, 'activeMs'> {
  const unpriced = (totals.unpriced ?? 0) - (totalsAtStart.unpriced ?? 0)
  const uncounted = (totals.uncounted ?? 0) - (totalsAtStart.uncounted ?? 0)
  const { activeMs: _not, ...spent } = spentOf({ costUsd, tokens, activeMs: 0, unpriced, uncounted })
  return spent
}
