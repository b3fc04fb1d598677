import { addRanges, endSplit, isOver, lengthMaxIn, type Matching, type Range, sizeOf, startSplit, takeMatch } from './matching.ts'
import { seedMatches, splitBySeeds } from './match-seeds.ts'
import { longestMatchLength, splitByGrams } from './match-grams.ts'

/**
 * Long matches first: few places share a long block, and the ranges left over are small. Each length searches the ranges that
 * the previous one left.
 */
const BLOCK_LENGTHS = [256, 32, 8, 3] as const

/** Matches as `difflib` does until everything is matched or a limit is reached; the count is in `matching`. */
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
  // A length of 0 means no match: this only closes the range.
  return splitByGrams(matching, range, Math.max(length, 1))
}

/** Ranges nearly as large as one that is too repetitive are probably too repetitive as well. */
function notSeedable(range: Range): Range {
  return { ...range, seedableMax: sizeOf(range) * 0.8 }
}

function isSmall({ aLow, aHigh, bLow, bHigh }: Range): boolean {
  return (aHigh - aLow) * (bHigh - bLow) <= SMALL_AREA_MAX
}

/** Up to this many pairs of elements, comparing them all is faster than building an index. */
const SMALL_AREA_MAX = 1024

/** Matches a small range completely by comparing every pair of elements. */
function matchSmallRange(matching: Matching, range: Range): void {
  const todo = [range]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { aLow, aHigh, bLow, bHigh } = next
    matching.work += (aHigh - aLow) * (bHigh - bLow)
    const { aStart, bStart, length } = longestMatch(matching, next)
    const split = startSplit(matching, next, length)
    if (length > 0) takeMatch(matching, split, aStart, bStart, length)
    todo.push(...endSplit(matching, split))
  }
}

/** The lengths of the matches that end at the previous element of `a`, by position in `b`. */
const lengths = new Int32Array(SMALL_AREA_MAX + 1)

function longestMatch(
  { a, b }: Matching,
  { aLow, aHigh, bLow, bHigh }: Range,
): { aStart: number; bStart: number; length: number } {
  let best = 0
  let aEnd = aLow
  let bEnd = bLow
  lengths.fill(0, 0, bHigh - bLow)
  for (let aIndex = aLow; aIndex < aHigh; aIndex++) {
    const element = a[aIndex]
    let before = 0
    for (let bIndex = bLow; bIndex < bHigh; bIndex++) {
      const length = b[bIndex] === element ? before + 1 : 0
      before = lengths[bIndex - bLow] as number
      lengths[bIndex - bLow] = length
      if (length > best) {
        best = length
        aEnd = aIndex + 1
        bEnd = bIndex + 1
      }
    }
  }
  return { aStart: aEnd - best, bStart: bEnd - best, length: best }
}
