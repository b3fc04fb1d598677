import type { Matching } from './matching.ts'
import { endSplit, startSplit, takeMatch } from './range-split.ts'
import type { Range } from './range.ts'
import type { Match } from './seed-matches.ts'

interface SeededRange {
  readonly range: Range
  /** All matches of at least `lengthMin` in it. */
  readonly matches: readonly Match[]
}

/**
 * Cuts a range at its longest match, the ranges that come of it at theirs, and so on down to `lengthMin`; `matches` are all that
 * are at least so long. Returns what is left, in which there is nothing so long any more.
 */
export function splitBySeeds(matching: Matching, range: Range, matches: readonly Match[], lengthMin: number): Range[] {
  const rest: Range[] = []
  const todo: SeededRange[] = [{ range, matches }]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (next.matches.length === 0) rest.push({ ...next.range, lengthMax: Math.min(next.range.lengthMax, lengthMin - 1) })
    else for (const each of splitOnce(matching, next, lengthMin)) todo.push(each)
  }
  return rest
}

function splitOnce(matching: Matching, { range, matches }: SeededRange, lengthMin: number): SeededRange[] {
  matching.work += matches.length
  let length = 0
  for (const match of matches) if (match.length > length) length = match.length
  const split = startSplit(matching, range, length - 1)
  const longest = matches.filter((match) => match.length === length)
  if (longest.length > 1) longest.sort((one, other) => one.aStart - other.aStart || one.bStart - other.bStart)
  for (const { aStart, bStart } of longest) {
    if (aStart >= split.aLow && bStart >= split.bLow) takeMatch(matching, split, aStart, bStart, length)
  }
  return distributed(endSplit(matching, split), matches, lengthMin)
}

/**
 * Gives every range the matches in it, cut to its bounds. Between two ranges lies a match that is at least as long as any other,
 * so a match reaches into one range at most.
 */
function distributed(ranges: readonly Range[], matches: readonly Match[], lengthMin: number): SeededRange[] {
  const seeded = ranges.map((range) => ({ range, matches: [] as Match[] }))
  for (const match of matches) {
    const home = seeded[firstEndingAfter(ranges, match.aStart)]
    if (home === undefined) continue
    const inside = cut(match, home.range, lengthMin)
    if (inside !== undefined) home.matches.push(inside)
  }
  return seeded
}

function firstEndingAfter(ranges: readonly Range[], aStart: number): number {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ranges[middle] as Range).aHigh > aStart) high = middle
    else low = middle + 1
  }
  return low
}

function cut(match: Match, { aLow, aHigh, bLow, bHigh }: Range, lengthMin: number): Match | undefined {
  const { aStart, bStart, length } = match
  const skipped = Math.max(0, aLow - aStart, bLow - bStart)
  const end = Math.min(length, aHigh - aStart, bHigh - bStart)
  if (end - skipped < lengthMin) return undefined
  if (end - skipped === length) return match
  return { aStart: aStart + skipped, bStart: bStart + skipped, length: end - skipped }
}
