/**
 * A rolling hash modulo a prime: slower than `blockHash`, but no kind of repetition makes different grams collide. The prime is
 * small enough for every product to be exact.
 */
export function gramHash(elements: Int32Array, start: number, length: number): number {
  let hash = 0
  for (let index = start; index < start + length; index++) hash = reduced(hash * BASE + (elements[index] as number))
  return hash
}

/** The factor of the element that leaves a gram of this length. */
export function gramFactor(length: number): number {
  let factor = 1
  let square = BASE
  for (let rest = length; rest > 0; rest >>>= 1) {
    if ((rest & 1) === 1) factor = reduced(factor * square)
    square = reduced(square * square)
  }
  return factor
}

/** The hash one element further on. */
export function rolledGramHash(hash: number, factor: number, leaving: number, entering: number): number {
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
