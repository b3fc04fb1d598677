import { randomFrom } from './random-from.ts'

/** The bounds between which 95 of 100 redrawn shares lie. */
export type Interval = readonly [low: number, high: number]

/** How often tasks are drawn anew. */
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
