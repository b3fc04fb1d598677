import type { Event } from '../../../core/event.ts'
import type { Totals } from '../../../core/state.ts'
import { money } from '../../../core/wording.ts'

/** What a run took. What no agent told is not there. */
export interface Spent extends Omit<Totals, 'costUsd'> {
  readonly costUsd?: number
  /** Set when some of the work took tokens and nobody said what they cost: the run cost more than `costUsd`. */
  readonly isCostPartial?: true
}

/** What a run took, as far as its journal knows. */
export function spentIn({ costUsd, ...totals }: Totals, events: readonly Event[]): Spent {
  if (costUsd === 0) return totals
  return { costUsd, ...(events.some(isUnpriced) ? { isCostPartial: true as const } : {}), ...totals }
}

/** An agent that tells 0 for its tokens does not know their price. The end of an iteration only sums up. */
function isUnpriced({ type, data }: Event): boolean {
  if (type === 'iteration.ended' || !('tokens' in data)) return false
  const { tokens = 0, costUsd = 0 } = data as { readonly tokens?: number; readonly costUsd?: number }
  return tokens > 0 && costUsd === 0
}

/** "$0.12", "at least $0.12"; nothing where no cost is known. */
export function costWords({ costUsd, isCostPartial }: Pick<Spent, 'costUsd' | 'isCostPartial'>): readonly string[] {
  return costUsd === undefined ? [] : [`${isCostPartial ? 'at least ' : ''}${money(costUsd)}`]
}
