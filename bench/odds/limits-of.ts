import { limitAt } from '../../src/guards/worth-continuing.ts'
import type { KindData } from '../../src/guards/odds/odds-data.ts'
import type { JudgedLoop } from './cross-validated.ts'

/** The strictest promise that is measured: give up a success at most once in so many. */
const ONCE_IN_MAX = 1500

/**
 * For each promise the highest chance below which a loop may be given up. Three things must hold: one success lost more than there were
 * would still keep the promise (as conformal prediction counts); of the loops given up no more would have succeeded than one in so many; and
 * the chance itself is not above that. All of it for all loops together, and for each dataset with at least `SOLVED_MIN` solved loops; of
 * fewer nobody can tell a broken promise from chance. And all of it as each of several fits judges the loops: those that had not seen them,
 * and the one that learned from them, which is the one that ships. A stricter promise never has a higher limit. Promises that so few loops
 * cannot keep are left out.
 */
export function limitsOf(...judgements: readonly (readonly JudgedLoop[])[]): KindData['limits'] {
  const all = judgements.map(lowestChances)
  const single = judgements.flatMap((loops) =>
    [...Map.groupBy(loops, ({ dataset }) => dataset).values()]
      .map(lowestChances)
      .filter(({ solved }) => solved.length >= SOLVED_MIN),
  )
  const solved = Math.min(...all.map((each) => each.solved.length))
  const onceInMax = Math.min(solved + 1, ONCE_IN_MAX)
  const limits: number[] = []
  for (let onceIn = 2; onceIn <= onceInMax; onceIn++) {
    const chance = limitForAll([...all, ...single], onceIn, limits.length === 0 ? 1 : limitAt(limits, onceIn - 1))
    // Where nothing but the promise itself is the limit, it need not be said for each.
    const said = chance === 1 / onceIn ? 1 : chance
    if (limits.at(-1) === said) limits.splice(-2)
    limits.push(onceIn, said)
  }
  return limits
}

/** What is right for some may be too low for others to have given up enough that failed: then it is lowered until it is right for all. */
function limitForAll(each: readonly Lowest[], onceIn: number, chanceMax: number): number {
  let limit = Math.min(chanceMax, 1 / onceIn)
  for (;;) {
    const next = Math.min(...each.map((lowest) => limitOf(lowest, onceIn, limit)))
    if (next === limit) return limit
    limit = next
  }
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
function limitOf({ solved, failed }: Lowest, onceIn: number, chanceMax: number): number {
  const lossesMax = Math.max(0, Math.floor((solved.length + 1) / onceIn) - 1)
  for (let losses = Math.min(lossesMax, solved.length); losses > 0; losses--) {
    // As many as may be lost, and no more: up to the chance of the next one.
    const limit = shortened(solved[losses], chanceMax)
    const [lost, avoided] = [countBelow(solved, limit), countBelow(failed, limit)]
    if (lost * onceIn <= lost + avoided) return limit
  }
  return shortened(solved[0], chanceMax)
}

/** It ships as text, and more digits say nothing more. */
function shortened(chance: number | undefined, chanceMax: number): number {
  return chance === undefined || chance >= chanceMax ? chanceMax : Math.floor(chance * 1e5) / 1e5
}

function countBelow(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] as number) < limit) low = middle + 1
    else high = middle
  }
  return low
}
