import type { Usage } from './event-data.ts'
import { type SessionWork, settledBy, type UnknownWork, withSession } from './sessions.ts'
import type { State } from './state.ts'
import { within } from './within.ts'

/**
 * Counts what a piece of work used, and remembers its session. What is not known of it comes with a later sum of the same session, or
 * never.
 */
export function workSpent(state: State, agent: string, work: SessionWork, isCut = false): State {
  const counted = spent(state, work)
  const settled = withSettled(counted, settledBy(state, agent, work))
  const remembered = withSession(settled, agent, work, { isCut, unknown: unknownOf(work) })
  return (work.tokens ?? 0) > 0 || (work.costUsd ?? 0) > 0 ? withServed(remembered, agent) : remembered
}

function withSettled(state: State, { unpriced, uncounted }: UnknownWork): State {
  if (unpriced === 0 && uncounted === 0) return state
  const { settled = { unpriced: 0, uncounted: 0 } } = state.current
  const all = { unpriced: settled.unpriced + unpriced, uncounted: settled.uncounted + uncounted }
  return withUnknown(within(state, { settled: all }), { unpriced: -unpriced, uncounted: -uncounted })
}

/** Remembers that a provider has served an agent, or a review. */
export function withServed(state: State, name: string): State {
  const { served = [] } = state
  return served.includes(name) ? state : { ...state, served: [...served, name] }
}

/** Adds what was used, and counts the work of which that is not known, or not wholly. */
export function spent(state: State, usage: Usage): State {
  const { costUsd = 0, tokens = 0, isUsagePartial } = usage
  if (costUsd === 0 && tokens === 0 && !isUsagePartial) return state
  // Three times thirty cents are ninety cents: what binary fractions add is no money.
  const sum = Number((state.totals.costUsd + costUsd).toFixed(9))
  const totals = { ...state.totals, costUsd: sum, tokens: state.totals.tokens + tokens }
  return withUnknown({ ...state, totals }, unknownOf(usage))
}

/** An agent that tells 0 for its tokens does not know their price, and money without tokens is for some that it did not count. */
function unknownOf({ costUsd = 0, tokens = 0, isUsagePartial }: Usage): UnknownWork {
  return {
    unpriced: isUsagePartial || (tokens > 0 && costUsd === 0) ? 1 : 0,
    uncounted: isUsagePartial || (costUsd > 0 && tokens === 0) ? 1 : 0,
  }
}

function withUnknown(state: State, more: UnknownWork): State {
  if (more.unpriced === 0 && more.uncounted === 0) return state
  const { unpriced: _before, uncounted: _too, ...totals } = state.totals
  const unpriced = Math.max(0, (state.totals.unpriced ?? 0) + more.unpriced)
  const uncounted = Math.max(0, (state.totals.uncounted ?? 0) + more.uncounted)
  return {
    ...state,
    totals: { ...totals, ...(unpriced === 0 ? {} : { unpriced }), ...(uncounted === 0 ? {} : { uncounted }) },
  }
}
