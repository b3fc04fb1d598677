import type { Seq } from '../event.ts'

/** The last scores, and the best before them: what tells a decline from a loop that never got anywhere. */
export interface Trend {
  /** The newest last; at most `WINDOW`. */
  readonly scores: readonly number[]
  readonly facts: readonly Seq[]
  /** The best score before the window; absent when there was none. */
  readonly bestBefore?: number
  /** The score just before the window; absent when there was none. */
  readonly lastBefore?: number
}

/** How many iterations a decline is looked for in. */
export const TREND_WINDOW = 3

/** Nothing was scored yet. */
export const initialTrend: Trend = { scores: [], facts: [] }

/** Takes in one more score. */
export function trendWith({ scores, facts, bestBefore }: Trend, score: number, seq: Seq): Trend {
  const isFull = scores.length === TREND_WINDOW
  const [oldest = 0] = scores
  return {
    scores: [...scores, score].slice(-TREND_WINDOW),
    facts: [...facts, seq].slice(-TREND_WINDOW),
    ...(isFull ? { bestBefore: Math.max(bestBefore ?? 0, oldest), lastBefore: oldest } : {}),
  }
}

/** All of the window below the best before it, and none of it better than the one before: it got worse and stays so. */
export function isDeclining({ scores, bestBefore, lastBefore }: Trend): boolean {
  if (bestBefore === undefined || lastBefore === undefined) return false
  const isBelow = scores.every((score) => score < bestBefore)
  return isBelow && scores.every((score, index) => score <= (index === 0 ? lastBefore : (scores[index - 1] ?? 0)))
}
