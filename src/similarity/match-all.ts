import { SMALL_AREA_MAX, matchSmallRange } from './match-small-range.ts'
import { isOver, type Matching } from './matching.ts'
import { addRanges, lengthMaxIn, sizeOf, type Range } from './range.ts'
import { seedMatches } from './seed-matches.ts'
import { longestMatchLength, splitByGrams } from './split-by-grams.ts'
import { splitBySeeds } from './split-by-seeds.ts'

/**
 * Long matches first: what they leave is small, and few places share a long block. Each length looks at what the one before it
 * left.
 */
const BLOCK_LENGTHS = [256, 32, 8, 3] as const

/** Matches as `difflib` does until all is matched or the limits are reached; `matching` then has the count. */
export function matchAll(matching: Matching): void {
  const { a, b } = matching
  if (a.length === 0 || b.length === 0) return
  const whole = { aLow: 0, aHigh: a.length, bLow: 0, bHigh: b.length, lengthMax: Infinity, seedableMax: Infinity }
  let ranges: Range[] = [whole]
  for (const blockLength of BLOCK_LENGTHS) ranges = matchBlocks(matching, ranges, blockLength)
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    if (isOver(matching)) return
    if (isSmall(range)) matchSmallRange(matching, range)
    else addRanges(ranges, splitByGrams(matching, range, lengthMaxIn(range)))
  }
}

/** Takes all matches of at least `2 * blockLength - 1`; returns the ranges that are left. */
function matchBlocks(matching: Matching, ranges: Range[], blockLength: number): Range[] {
  const lengthMin = 2 * blockLength - 1
  const rest: Range[] = []
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    if (isOver(matching)) return []
    if (isSmall(range)) matchSmallRange(matching, range)
    else if (lengthMaxIn(range) < lengthMin) rest.push(range)
    else if (sizeOf(range) > range.seedableMax) addRanges(ranges, splitAtLongest(matching, range, 0))
    else {
      const matches = seedMatches(matching, range, blockLength)
      if (typeof matches === 'number') addRanges(ranges, splitAtLongest(matching, notSeedable(range), matches))
      else addRanges(rest, splitBySeeds(matching, range, matches, lengthMin))
    }
  }
  return rest
}

function splitAtLongest(matching: Matching, range: Range, lengthKnown: number): Range[] {
  const length = longestMatchLength(matching, range, lengthKnown)
  if (isOver(matching)) return []
  // With a length of 0 there is nothing to take, only the range to close.
  return splitByGrams(matching, range, Math.max(length, 1))
}

/** What is nearly as large as a range that repeats itself too much probably does so, too. */
function notSeedable(range: Range): Range {
  return { ...range, seedableMax: sizeOf(range) * 0.8 }
}

function isSmall({ aLow, aHigh, bLow, bHigh }: Range): boolean {
  return (aHigh - aLow) * (bHigh - bLow) <= SMALL_AREA_MAX
}
