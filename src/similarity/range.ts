/** A part of `a` against a part of `b`, ends exclusive, and what is known of it. */
export interface Range {
  readonly aLow: number
  readonly aHigh: number
  readonly bLow: number
  readonly bHigh: number
  /** No match in it is longer than this. */
  readonly lengthMax: number
  /** Looking for blocks in a range larger than this (both sides together) is known to be in vain: it repeats itself too much. */
  readonly seedableMax: number
}

/** The elements of both sides together. */
export function sizeOf({ aLow, aHigh, bLow, bHigh }: Range): number {
  return aHigh - aLow + (bHigh - bLow)
}

/** The length that no match in the range exceeds. */
export function lengthMaxIn({ aLow, aHigh, bLow, bHigh, lengthMax }: Range): number {
  return Math.min(lengthMax, aHigh - aLow, bHigh - bLow)
}

/** Adds ranges to a list; there can be more of them than a call may have arguments. */
export function addRanges(list: Range[], ranges: readonly Range[]): void {
  for (const range of ranges) list.push(range)
}
