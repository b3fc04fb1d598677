import type { Matching } from './matching.ts'
import type { Range } from './range.ts'

/**
 * Cuts a range at its longest matches, from left to right, into the ranges between them. The order is that of `difflib`: of
 * equally long matches it takes the earliest in `a`, of these the earliest in `b`; what lies to its left then holds only shorter
 * ones, and what lies to its right is searched for the next as long as this.
 */
export interface RangeSplit {
  /** Where the next match may begin. */
  aLow: number
  bLow: number
  readonly aHigh: number
  readonly bHigh: number
  readonly lengthMax: number
  readonly seedableMax: number
  readonly between: Range[]
}

/** A range before its first cut; what is left over will hold nothing longer than `lengthMax`. */
export function startSplit(matching: Matching, range: Range, lengthMax: number): RangeSplit {
  const { aLow, aHigh, bLow, bHigh, seedableMax } = range
  matching.open -= Math.min(aHigh - aLow, bHigh - bLow)
  return { aLow, aHigh, bLow, bHigh, lengthMax, seedableMax, between: [] }
}

/** Takes a match that begins nowhere left of `aLow` and `bLow`. */
export function takeMatch(matching: Matching, split: RangeSplit, aStart: number, bStart: number, length: number): void {
  let aEnd = aStart + length
  let bEnd = bStart + length
  let aFirst = aStart
  let bFirst = bStart
  if (matching.hasPopular) {
    const { fullA, fullB } = matching
    while (aFirst > split.aLow && bFirst > split.bLow && fullA[aFirst - 1] === fullB[bFirst - 1]) {
      aFirst--
      bFirst--
    }
    while (aEnd < split.aHigh && bEnd < split.bHigh && fullA[aEnd] === fullB[bEnd]) {
      aEnd++
      bEnd++
    }
  }
  matching.matched += aEnd - aFirst
  leave(matching, split, aFirst, bFirst)
  split.aLow = aEnd
  split.bLow = bEnd
}

/** The ranges between the matches taken. */
export function endSplit(matching: Matching, split: RangeSplit): Range[] {
  leave(matching, split, split.aHigh, split.bHigh)
  return split.between
}

function leave(matching: Matching, split: RangeSplit, aHigh: number, bHigh: number): void {
  const { aLow, bLow, lengthMax, seedableMax, between } = split
  if (aLow >= aHigh || bLow >= bHigh) return
  if (lengthMax > 0) {
    matching.open += Math.min(aHigh - aLow, bHigh - bLow)
    between.push({ aLow, aHigh, bLow, bHigh, lengthMax, seedableMax })
  } else if (matching.hasPopular) {
    matching.matched += commonStart(matching, aLow, aHigh, bLow, bHigh)
  }
}

/** Where no match is left, `difflib` still lengthens the empty one at the very start. */
function commonStart({ fullA, fullB }: Matching, aLow: number, aHigh: number, bLow: number, bHigh: number): number {
  const lengthMax = Math.min(aHigh - aLow, bHigh - bLow)
  let length = 0
  while (length < lengthMax && fullA[aLow + length] === fullB[bLow + length]) length++
  return length
}
