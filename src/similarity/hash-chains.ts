import { grown, type Matching } from './matching.ts'

/**
 * Chains the first `count` entries of `scratch.hashes` by equal slot: `heads[slot] - 1` is the earliest entry, `nexts` lead on to
 * later ones, 0 ends a chain. Returns the shift that `slotOf` needs.
 */
export function chainHashes({ scratch }: Matching, count: number): number {
  const shift = Math.min(Math.clz32(Math.max(count, 2) * 2 - 1), 30)
  const size = 2 ** (32 - shift)
  const heads = (scratch.heads = grown(scratch.heads, size))
  const nexts = (scratch.nexts = grown(scratch.nexts, count))
  const { hashes } = scratch
  heads.fill(0, 0, size)
  // From the last to the first, so that every chain begins with the earliest.
  for (let entry = count - 1; entry >= 0; entry--) {
    const slot = slotOf(hashes[entry] as number, shift)
    nexts[entry] = heads[slot] as number
    heads[slot] = entry + 1
  }
  return shift
}

/** The place of a hash in a table of `2 ** (32 - shift)`. */
export function slotOf(hash: number, shift: number): number {
  return Math.imul(hash, SPREAD) >>> shift
}

/** Fibonacci hashing. */
const SPREAD = 0x9e3779b1
