import { gramFactor, gramHash, rolledGramHash } from './gram-hash.ts'
import { chainHashes, slotOf } from './hash-chains.ts'
import { grown, isOver, type Matching } from './matching.ts'
import { endSplit, startSplit, takeMatch } from './range-split.ts'
import type { Range } from './range.ts'

/**
 * Cuts a range at all its matches of `length`, given that it has none that is longer. Takes time in proportion to the size of the
 * range, however often it repeats itself.
 */
export function splitByGrams(matching: Matching, range: Range, length: number): Range[] {
  const { a, b, scratch } = matching
  const { aHigh, bLow, bHigh } = range
  const split = startSplit(matching, range, length - 1)
  const shift = indexGrams(matching, bLow, bHigh, length)
  const { heads, nexts, hashes } = scratch
  const factor = gramFactor(length)
  let aStart = range.aLow
  let hash = gramHash(a, aStart, length)
  matching.work += aHigh - aStart
  while (split.bLow + length <= bHigh) {
    const slot = slotOf(hash, shift)
    // What lies left of the last match is of no use to any later one.
    const passed = split.bLow - bLow
    while (heads[slot] !== 0 && (heads[slot] as number) <= passed) heads[slot] = nexts[(heads[slot] as number) - 1] as number
    let entry = heads[slot] as number
    while (entry !== 0 && (hashes[entry - 1] !== hash || !isSame(a, aStart, b, bLow + entry - 1, length))) {
      matching.work++
      entry = nexts[entry - 1] as number
    }
    if (entry === 0) {
      if (aStart + length >= aHigh) break
      hash = rolledGramHash(hash, factor, a[aStart] as number, a[aStart + length] as number)
      aStart++
      continue
    }
    takeMatch(matching, split, aStart, bLow + entry - 1, length)
    aStart = split.aLow
    if (aStart + length > aHigh) break
    hash = gramHash(a, aStart, length)
  }
  return endSplit(matching, split)
}

/**
 * The length of the longest match in a range, given that of one (0 for none), where repetitions make it hopeless to look at all of
 * them: tries lengths with one pass over the range each. The answer is often near one of the ends, so it steps away from both in
 * turn, farther each time. Once the limits are reached the answer means nothing.
 */
export function longestMatchLength(matching: Matching, range: Range, lengthKnown: number): number {
  let known = lengthKnown
  let possible = Math.min(range.lengthMax, range.aHigh - range.aLow, range.bHigh - range.bLow)
  for (let step = 0, isFromTop = true; known < possible && !isOver(matching); isFromTop = !isFromTop) {
    const middle = (known + possible + 1) >>> 1
    const length = isFromTop ? Math.max(middle, possible - step) : Math.min(middle, known + step + 1)
    const found = someMatchLength(matching, range, length)
    if (found === 0) possible = length - 1
    else known = found
    if (!isFromTop) step = 2 * step + 1
  }
  return known
}

/** The length of some match of at least `length`, 0 when there is none. */
function someMatchLength(matching: Matching, { aLow, aHigh, bLow, bHigh }: Range, length: number): number {
  const { a, b, scratch } = matching
  const shift = indexGrams(matching, bLow, bHigh, length)
  const { heads, nexts, hashes } = scratch
  const factor = gramFactor(length)
  let hash = gramHash(a, aLow, length)
  matching.work += aHigh - aLow
  for (let aStart = aLow; ; aStart++) {
    for (let entry = heads[slotOf(hash, shift)] as number; entry !== 0; entry = nexts[entry - 1] as number) {
      if (hashes[entry - 1] !== hash) continue
      const bStart = bLow + entry - 1
      if (!isSame(a, aStart, b, bStart, length)) continue
      const lengthMax = Math.min(aHigh - aStart, bHigh - bStart)
      let found = length
      while (found < lengthMax && a[aStart + found] === b[bStart + found]) found++
      return found
    }
    if (aStart + length >= aHigh) return 0
    hash = rolledGramHash(hash, factor, a[aStart] as number, a[aStart + length] as number)
  }
}

function indexGrams(matching: Matching, bLow: number, bHigh: number, length: number): number {
  const { b, scratch } = matching
  const count = bHigh - bLow - length + 1
  const hashes = (scratch.hashes = grown(scratch.hashes, count))
  const factor = gramFactor(length)
  let hash = gramHash(b, bLow, length)
  hashes[0] = hash
  for (let entry = 1; entry < count; entry++) {
    hash = rolledGramHash(hash, factor, b[bLow + entry - 1] as number, b[bLow + entry + length - 1] as number)
    hashes[entry] = hash
  }
  matching.work += bHigh - bLow
  return chainHashes(matching, count)
}

function isSame(a: Int32Array, aStart: number, b: Int32Array, bStart: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (a[aStart + index] !== b[bStart + index]) return false
  return true
}
