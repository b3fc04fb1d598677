import type { KindData } from '../../src/core/odds/odds-data.ts'
import type { JudgedLoop } from './cross-validated.ts'

/** The promises that are measured: give up a success at most once in so many. */
export const PROMISES: readonly number[] = [
  2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 33, 40, 50, 66, 80, 100, 125, 150, 200, 250, 300, 400, 500, 650, 800, 1000, 1250, 1500,
]

/**
 * For each promise the highest chance below which a loop may be given up, on loops that the fit had not seen. Three things must hold: one
 * success lost more than there were would still keep the promise (as conformal prediction counts); of the loops given up no more would have
 * succeeded than one in so many; and the chance itself is not above that. All of it for all loops together, and for each dataset with at
 * least `SOLVED_MIN` solved loops; of fewer nobody can tell a broken promise from chance. A stricter promise never has a higher limit.
 * Promises that so few loops cannot keep are left out.
 */
export function limitsOf(loops: readonly JudgedLoop[]): KindData['limits'] {
  const all = lowestChances(loops)
  const single = [...Map.groupBy(loops, ({ dataset }) => dataset).values()]
    .map(lowestChances)
    .filter(({ solved }) => solved.length >= SOLVED_MIN)
  const limits: { readonly onceIn: number; readonly chance: number }[] = []
  for (const onceIn of PROMISES) {
    if (all.solved.length + 1 < onceIn) break
    const limitsOfEach = [all, ...single].map((lowest) => limitOf(lowest, onceIn))
    const chance = Math.min(...limitsOfEach, limits.at(-1)?.chance ?? 1)
    limits.push({ onceIn, chance: Math.floor(chance * 1e5) / 1e5 })
  }
  return limits
}

const SOLVED_MIN = 100

/** The lowest chance that each loop ever had, ascending; one that was never judged cannot be given up. */
interface Lowest {
  readonly solved: readonly number[]
  readonly failed: readonly number[]
}

function lowestChances(loops: readonly JudgedLoop[]): Lowest {
  const lowest = (wanted: boolean): readonly number[] =>
    loops
      .filter(({ isSolved }) => isSolved === wanted)
      .map(({ deciding }) => Math.min(Infinity, ...deciding.filter((chance) => chance !== undefined)))
      .toSorted((one, other) => one - other)
  return { solved: lowest(true), failed: lowest(false) }
}

/** A limit is exclusive: those at the chance of the next success are not given up. */
function limitOf({ solved, failed }: Lowest, onceIn: number): number {
  const lossesMax = Math.max(0, Math.floor((solved.length + 1) / onceIn) - 1)
  for (let losses = Math.min(lossesMax, solved.length); losses > 0; losses--) {
    // As many as may be lost, and no more: up to the chance of the next one.
    const limit = Math.min(solved[losses] ?? Infinity, 1 / onceIn)
    const [lost, avoided] = [countBelow(solved, limit), countBelow(failed, limit)]
    if (lost * onceIn <= lost + avoided) return limit
  }
  return Math.min(solved[0] ?? Infinity, 1 / onceIn)
}

function countBelow(ascending: readonly number[], limit: number): number {
  const index = ascending.findIndex((chance) => chance >= limit)
  return index === -1 ? ascending.length : index
}
