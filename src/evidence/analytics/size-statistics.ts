import { isOver, type RunRecord } from './run-record.ts'

/** How runs went by how much failed before any work: what a maximum of iterations can be chosen by. */
export interface SizeStatistics {
  /** "1", "2 to 5", "6 and more". */
  readonly failingAtStart: string
  readonly runs: number
  readonly succeeded: number
  /** The iterations within which nine of ten of its successes came; absent where there is none. */
  readonly iterationsNineOfTen?: number
}

/** Runs that are over and whose beginning was looked at, by size. */
export function sizeStatistics(records: readonly RunRecord[]): readonly SizeStatistics[] {
  return SIZES.flatMap(({ name, min, max }) => {
    const runs = records.filter(
      ({ ending, failingAtStart = 0 }) => isOver(ending) && failingAtStart >= min && failingAtStart <= max,
    )
    if (runs.length === 0) return []
    const successes = runs.filter(({ ending }) => ending === 'succeeded').map(({ iterations }) => iterations)
    const nine = nineOfTen(successes)
    const within = nine === undefined ? {} : { iterationsNineOfTen: nine }
    return [{ failingAtStart: name, runs: runs.length, succeeded: successes.length, ...within }]
  })
}

const SIZES = [
  { name: '1', min: 1, max: 1 },
  { name: '2 to 5', min: 2, max: 5 },
  { name: '6 and more', min: 6, max: Infinity },
] as const

/** The smallest of the values that nine of ten do not exceed. */
function nineOfTen(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.ceil(sorted.length * 0.9) - 1]
}
