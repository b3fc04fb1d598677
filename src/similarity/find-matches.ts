import {
  chainHashes,
  endSplit,
  grow,
  isOver,
  type Matching,
  type Range,
  sizeOf,
  slotOf,
  startSplit,
  takeMatch,
} from './matching.ts'

/** A stretch of `a` that equals one of `b`. */
export interface Match {
  readonly aStart: number
  readonly bStart: number
  readonly length: number
}

/** A range that needs more steps per element than this is too repetitive. */
const STEPS_PER_ELEMENT_MAX = 4

/**
 * All maximal matches of at least `2 * blockLength - 1` elements. Each contains a whole block of `b` when `b` is cut into blocks
 * of `blockLength`, so only those blocks are indexed. If the range is too repetitive, returns the length of the longest match
 * seen instead, 0 for none.
 */
export function seedMatches(matching: Matching, range: Range, blockLength: number): Match[] | number {
  const { a } = matching
  const { aLow, aHigh, bLow } = range
  const shift = indexBlocks(matching, range, blockLength)
  const { heads, nexts, hashes } = matching.scratch
  const ends = cleanEnds(matching, range)
  const factor = leavingFactor(blockLength)
  const stepsMax = sizeOf(range) * STEPS_PER_ELEMENT_MAX + STEPS_FREE
  const found: Match[] = []
  let steps = 0
  let longest = 0
  let hash = blockHash(a, aLow, blockLength)
  for (let aStart = aLow; ; aStart++) {
    for (let entry = heads[slotOf(hash, shift)] as number; entry !== 0; entry = nexts[entry - 1] as number) {
      steps++
      if (hashes[entry - 1] !== hash) continue
      const bStart = bLow + (entry - 1) * blockLength
      // Blocks on the same diagonal belong to the same match.
      const diagonal = bStart - bLow + (aHigh - aStart) - 1
      if ((ends[diagonal] as number) > aStart) continue
      const match = lengthened(matching, range, aStart, bStart)
      ends[diagonal] = match.aStart + match.length
      if (match.length > longest) longest = match.length
      if (match.length >= 2 * blockLength - 1) found.push(match)
      steps += STEPS_PER_MATCH + (match.length >> 2)
      if (steps > stepsMax) break
    }
    if (aStart + blockLength >= aHigh || steps > stepsMax) break
    hash = rolledBlockHash(hash, factor, a[aStart] as number, a[aStart + blockLength] as number)
  }
  matching.work += aHigh - aLow + steps
  return steps > stepsMax ? longest : found
}

/** A free allowance for small ranges. */
const STEPS_FREE = 256

/** A match takes time to extend and memory to keep. */
const STEPS_PER_MATCH = 4

function indexBlocks(matching: Matching, { bLow, bHigh }: Range, blockLength: number): number {
  const { b, scratch } = matching
  const count = Math.floor((bHigh - bLow) / blockLength)
  const hashes = (scratch.hashes = grow(scratch.hashes, count))
  for (let block = 0; block < count; block++) hashes[block] = blockHash(b, bLow + block * blockLength, blockLength)
  matching.work += bHigh - bLow
  return chainHashes(matching, count)
}

/** For every diagonal of the range, where its last match ended in `a`. */
function cleanEnds({ scratch }: Matching, range: Range): Int32Array {
  const size = sizeOf(range)
  scratch.ends = grow(scratch.ends, size)
  return scratch.ends.fill(0, 0, size)
}

/** The maximal match through this position; its length is 0 if two different blocks had the same hash. */
function lengthened({ a, b }: Matching, { aLow, aHigh, bLow, bHigh }: Range, aStart: number, bStart: number): Match {
  let after = 0
  const afterMax = Math.min(aHigh - aStart, bHigh - bStart)
  while (after < afterMax && a[aStart + after] === b[bStart + after]) after++
  if (after === 0) return { aStart, bStart, length: 0 }
  let before = 0
  const beforeMax = Math.min(aStart - aLow, bStart - bLow)
  while (before < beforeMax && a[aStart - before - 1] === b[bStart - before - 1]) before++
  return { aStart: aStart - before, bStart: bStart - before, length: before + after }
}

interface SeededRange {
  readonly range: Range
  /** All matches of at least `lengthMin` in it. */
  readonly matches: readonly Match[]
}

/**
 * Cuts a range at its longest match, the resulting ranges at theirs, and so on down to `lengthMin`. `matches` are all matches
 * that are at least this long. Returns the ranges left over, which have only shorter ones.
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
 * Gives every range the matches in it, cut to its bounds. Two ranges are separated by a match at least as long as any other, so
 * a match reaches into one range at most.
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

/**
 * A rolling hash modulo 2 ** 32, the fastest kind. Thue-Morse strings make it collide, so it is used only where too many
 * collisions end the attempt.
 */
function blockHash(elements: Int32Array, start: number, length: number): number {
  let hash = 0
  for (let index = start; index < start + length; index++) hash = (Math.imul(hash, BLOCK_BASE) + (elements[index] as number)) | 0
  return hash
}

/** The factor of the element that leaves a block of this length when the hash rolls on. */
function leavingFactor(length: number): number {
  let factor = 1
  for (let count = 0; count < length; count++) factor = Math.imul(factor, BLOCK_BASE)
  return factor
}

/** The hash of the block that starts one element later. */
function rolledBlockHash(hash: number, factor: number, leaving: number, entering: number): number {
  return (Math.imul(hash, BLOCK_BASE) - Math.imul(leaving, factor) + entering) | 0
}

const BLOCK_BASE = 0x01000193

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
  const hashes = (scratch.hashes = grow(scratch.hashes, count))
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
  for (let index = start; index < start + length; index++) hash = reduced(hash * GRAM_BASE + (elements[index] as number))
  return hash
}

/** The factor of the element that leaves a gram of this length when the hash rolls on. */
function gramFactor(length: number): number {
  let factor = 1
  let square = GRAM_BASE
  for (let rest = length; rest > 0; rest >>>= 1) {
    if ((rest & 1) === 1) factor = reduced(factor * square)
    square = reduced(square * square)
  }
  return factor
}

/** The hash of the gram that starts one element later. */
function rolledGramHash(hash: number, factor: number, leaving: number, entering: number): number {
  return reduced(hash * GRAM_BASE - leaving * factor + entering)
}

/** The largest prime below 2 ** 26. */
const PRIME = 67_108_859
const GRAM_BASE = 40_692_317
const PER_PRIME = 1 / PRIME

function reduced(value: number): number {
  const rest = value - Math.floor(value * PER_PRIME) * PRIME
  if (rest < 0) return rest + PRIME
  return rest >= PRIME ? rest - PRIME : rest
}
