import type { IterationEnded } from '../core/event-data.ts'
import { type Spent, spentOf } from '../core/spent-of.ts'
import type { State } from '../core/state.ts'

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
