import { blockHash, leavingFactor, rolledBlockHash } from './block-hash.ts'
import { chainHashes, slotOf } from './hash-chains.ts'
import { grown, type Matching } from './matching.ts'
import { sizeOf, type Range } from './range.ts'

/** A stretch of `a` that equals one of `b`. */
export interface Match {
  readonly aStart: number
  readonly bStart: number
  readonly length: number
}

/** How many places may be looked at for every element of a range before its repetitions are taken to be too many. */
const STEPS_PER_ELEMENT_MAX = 4

/**
 * All matches of at least `2 * blockLength - 1` elements that cannot be lengthened within the range: each holds a whole block of
 * `b`, if `b` is cut into blocks of `blockLength`, so only these are indexed. When the range repeats itself too much: the
 * length of the longest match seen, 0 for none.
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

/** Small ranges may look at some places more. */
const STEPS_FREE = 256

/** A match takes time to lengthen and memory to keep. */
const STEPS_PER_MATCH = 4

function indexBlocks(matching: Matching, { bLow, bHigh }: Range, blockLength: number): number {
  const { b, scratch } = matching
  const count = Math.floor((bHigh - bLow) / blockLength)
  const hashes = (scratch.hashes = grown(scratch.hashes, count))
  for (let block = 0; block < count; block++) hashes[block] = blockHash(b, bLow + block * blockLength, blockLength)
  matching.work += bHigh - bLow
  return chainHashes(matching, count)
}

/** Where the last match on every diagonal of the range ended in `a`. */
function cleanEnds({ scratch }: Matching, range: Range): Int32Array {
  const size = sizeOf(range)
  scratch.ends = grown(scratch.ends, size)
  return scratch.ends.fill(0, 0, size)
}

/** The match through this place as long as it can be; of length 0 when the hash deceived. */
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
