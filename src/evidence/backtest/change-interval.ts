import { type Interval, shareInterval } from './bootstrap.ts'

/**
 * The interval of a change in a share, drawn anew by task, within the bounds of what is possible at all. Where all tasks changed alike, or
 * none did, every draw is the same and says nothing about tasks not seen yet: then it reaches as far as so many tasks cannot rule out (95 of
 * 100 times), which for none of 20 is about 3 in 20.
 */
export function changeInterval(
  draws: readonly Uint32Array[],
  moved: readonly number[],
  wholes: readonly number[],
  [lowest, highest]: Interval,
): Interval | undefined {
  const drawn = shareInterval(draws, moved, wholes)
  if (!drawn) return undefined
  const [low, high] = drawn
  if (low !== high) return drawn
  const tasks = wholes.filter((whole) => whole > 0).length
  const unseen = 1 - UNLIKELY ** (1 / tasks)
  return [low - unseen * Math.max(0, low - lowest), high + unseen * Math.max(0, highest - high)]
}

/** What happens less often than this by chance is ruled out. */
const UNLIKELY = 0.05
