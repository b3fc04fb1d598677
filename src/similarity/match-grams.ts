import { chainHashes, endSplit, grown, isOver, type Matching, type Range, slotOf, startSplit, takeMatch } from './matching.ts'

/**
 * Cuts a range at all its matches of `length`; it must have no longer ones. Takes time proportional to the size of the range,
 * however repetitive it is.
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
    // Drop entries left of the last match: later matches can't use them.
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
 * The length of the longest match in a range too repetitive to list all matches, given the length of one (0 for none). Tries
 * lengths with one pass over the range each. The answer is often near either end, so it steps away from both in turn, farther
 * each time. The answer is meaningless once a limit is reached.
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

/** The length of some match of at least `length`, or 0. */
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

/**
 * A rolling hash modulo a prime: slower than `blockHash`, but repetition doesn't make different grams collide. The prime is small
 * enough to keep every product exact.
 */
function gramHash(elements: Int32Array, start: number, length: number): number {
  let hash = 0
  for (let index = start; index < start + length; index++) hash = reduced(hash * BASE + (elements[index] as number))
  return hash
}

/** The factor of the element that leaves a gram of this length when the hash rolls on. */
function gramFactor(length: number): number {
  let factor = 1
  let square = BASE
  for (let rest = length; rest > 0; rest >>>= 1) {
    if ((rest & 1) === 1) factor = reduced(factor * square)
    square = reduced(square * square)
  }
  return factor
}

/** The hash of the gram that starts one element later. */
function rolledGramHash(hash: number, factor: number, leaving: number, entering: number): number {
  return reduced(hash * BASE - leaving * factor + entering)
}

/** The largest prime below 2 ** 26. */
const PRIME = 67_108_859
const BASE = 40_692_317
const PER_PRIME = 1 / PRIME

function reduced(value: number): number {
  const rest = value - Math.floor(value * PER_PRIME) * PRIME
  if (rest < 0) return rest + PRIME
  return rest >= PRIME ? rest - PRIME : rest
}
