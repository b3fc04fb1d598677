import type { State, Totals } from './state.ts'

/** What a run took, as it is told. What nobody told is not there. */
export interface Spent {
  /** Absent where no agent told a cost. */
  readonly costUsd?: number
  /** Set when some of the work has no known cost: the run cost more than `costUsd`, or nobody knows what where that is absent. */
  readonly isCostPartial?: true
  /** Absent where no agent told any. */
  readonly tokens?: number
  /** Set when the tokens of some of the work are not known: the run took more than `tokens`, or nobody knows how many. */
  readonly areTokensPartial?: true
  /** Time at work; waiting for a person or a provider does not count. */
  readonly activeMs: number
}

/** What the totals of a run say of what it took. */
export function spentOf({ costUsd, tokens, activeMs, unpriced = 0, uncounted = 0 }: Totals): Spent {
  return {
    ...(costUsd === 0 ? {} : { costUsd }),
    ...(unpriced > 0 ? { isCostPartial: true } : {}),
    ...(tokens === 0 ? {} : { tokens }),
    ...(uncounted > 0 ? { areTokensPartial: true } : {}),
    activeMs,
  }
}

/** The totals of a run as they stand: of what is under way, or was when its runner died, more was used than is told so far. */
export function totalsSoFar({ totals, current }: Pick<State, 'totals' | 'current'>): Totals {
  const open = current.effects.filter(({ status, tellsUsage }) => status === 'open' && tellsUsage).length
  if (open === 0) return totals
  return { ...totals, unpriced: (totals.unpriced ?? 0) + open, uncounted: (totals.uncounted ?? 0) + open }
}

/** The same of several runs together. */
export function spentTogether(all: readonly Totals[]): Spent {
  const sum = (amount: (totals: Totals) => number): number => all.reduce((total, each) => total + amount(each), 0)
  return spentOf({
    // What binary fractions add is no money.
    costUsd: Number(sum(({ costUsd }) => costUsd).toFixed(9)),
    tokens: sum(({ tokens }) => tokens),
    activeMs: sum(({ activeMs }) => activeMs),
    unpriced: sum(({ unpriced = 0 }) => unpriced),
    uncounted: sum(({ uncounted = 0 }) => uncounted),
  })
}
