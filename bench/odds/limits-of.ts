import type { KindData } from '../../src/core/odds/odds-data.ts'
import type { JudgedLoop } from './cross-validated.ts'

/** The promises that are measured: give up a success at most once in so many. */
export const PROMISES: readonly number[] = [10, 15, 20, 25, 33, 40, 50, 66, 80, 100, 125, 150, 200, 250, 300, 400, 500]

/**
 * For each promise the highest chance below which a loop may be given up, on loops that the fit had not seen, such that one loss more
 * than there were would still keep it (as conformal prediction counts). Promises that so few loops cannot keep are left out.
 */
export function limitsOf(loops: readonly JudgedLoop[]): KindData['limits'] {
  const lowest = loops
    .filter(({ isSolved }) => isSolved)
    .map(({ deciding }) => Math.min(Infinity, ...deciding.filter((chance) => chance !== undefined)))
    .toSorted((one, other) => one - other)
  return PROMISES.flatMap((onceIn) => {
    const lossesMax = Math.floor((lowest.length + 1) / onceIn) - 1
    const next = lowest[lossesMax]
    // A limit is exclusive: those at the chance of the next success are not given up.
    return lossesMax < 1 || next === undefined || next === Infinity ? [] : [{ onceIn, chance: Number(next.toFixed(5)) }]
  })
}
