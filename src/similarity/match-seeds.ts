import { chainHashes, endSplit, grown, type Matching, type Range, sizeOf, slotOf, startSplit, takeMatch } from './matching.ts'

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
  const hashes = (scratch.hashes = grown(scratch.hashes, count))
  for (let block = 0; block < count; block++) hashes[block] = blockHash(b, bLow + block * blockLength, blockLength)
  matching.work += bHigh - bLow
  return chainHashes(matching, count)
}

/** For every diagonal of the range, where its last match ended in `a`. */
function cleanEnds({ scratch }: Matching, range: Range): Int32Array {
  const size = sizeOf(range)
  scratch.ends = grown(scratch.ends, size)
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
  for (let index = start; index < start + length; index++) hash = (Math.imul(hash, BASE) + (elements[index] as number)) | 0
  return hash
}

/** The factor of the element that leaves a block of this length when the hash rolls on. */
function leavingFactor(length: number): number {
  let factor = 1
  for (let count = 0; count < length; count++) factor = Math.imul(factor, BASE)
  return factor
}

/** The hash of the block that starts one element later. */
function rolledBlockHash(hash: number, factor: number, leaving: number, entering: number): number {
  return (Math.imul(hash, BASE) - Math.imul(leaving, factor) + entering) | 0
}

const BASE = 0x01000193
