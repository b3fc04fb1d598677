import type { IterationSummary, State } from '../state.ts'

/**
 * The iterations that guards may hold against the agent, the newest last. After a person stepped in the old ones do not count until
 * the trend, which began anew then, is full again.
 */
export function freshIterations({ recent, measures: { trend } }: State): readonly IterationSummary[] {
  const isFull = trend.bestBefore !== undefined
  return isFull ? recent : recent.slice(Math.max(0, recent.length - trend.scores.length))
}
