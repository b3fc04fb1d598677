/** The bounds between which 95 of 100 redrawn shares lie. */
export type Interval = readonly [low: number, high: number]

/** How often tasks are drawn again. */
export const RESAMPLES = 1000

/**
 * Draws as many tasks as there are, with repetition, `RESAMPLES` times. Loops at the same task share their fate, so a task is drawn as a
 * whole. The same number of tasks gives the same draws, always: figures can be reproduced to the last digit, and policies are compared
 * on the same draws.
 */
export function drawTasks(tasks: number): readonly Uint32Array[] {
  const random = randomFrom(tasks)
  return Array.from({ length: tasks < 2 ? 0 : RESAMPLES }, () => {
    const times = new Uint32Array(tasks)
    for (let drawn = 0; drawn < tasks; drawn++) {
      const task = Math.floor(random() * tasks)
      times[task] = (times[task] ?? 0) + 1
    }
    return times
  })
}

/** The interval of a share of sums over tasks; nothing where fewer than two tasks have anything to take a share of. */
export function shareInterval(
  draws: readonly Uint32Array[],
  parts: readonly number[],
  wholes: readonly number[],
): Interval | undefined {
  // Most tasks have nothing in them: a policy seldom loses anything.
  const withPart = placesFilled(parts)
  const withWhole = placesFilled(wholes)
  if (withWhole.length < 2) return undefined
  const shares = draws.flatMap((times) => {
    const whole = sumAt(withWhole, wholes, times)
    return whole === 0 ? [] : [sumAt(withPart, parts, times) / whole]
  })
  if (shares.length === 0) return undefined
  const sorted = Float64Array.from(shares).toSorted()
  return [quantile(sorted, 0.025), quantile(sorted, 0.975)]
}

function placesFilled(values: readonly number[]): readonly number[] {
  return values.flatMap((value, place) => (value === 0 ? [] : [place]))
}

function sumAt(places: readonly number[], values: readonly number[], times: Uint32Array): number {
  let sum = 0
  for (const place of places) sum += (values[place] as number) * (times[place] as number)
  return sum
}

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

/** A small generator of numbers from 0 to 1 (mulberry32): the same seed, the same numbers. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * The interval of a change in a share, drawn again by task, within the bounds of what is possible at all. Where all tasks changed alike, or
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
