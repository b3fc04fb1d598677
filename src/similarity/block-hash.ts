/**
 * A rolling hash modulo 2 ** 32, the quickest there is. Strings built against it (Thue and Morse) make it useless, so it serves
 * only where too many collisions end the attempt.
 */
export function blockHash(elements: Int32Array, start: number, length: number): number {
  let hash = 0
  for (let index = start; index < start + length; index++) hash = (Math.imul(hash, BASE) + (elements[index] as number)) | 0
  return hash
}

/** The factor of the element that leaves a block of this length. */
export function leavingFactor(length: number): number {
  let factor = 1
  for (let count = 0; count < length; count++) factor = Math.imul(factor, BASE)
  return factor
}

/** The hash one element further on. */
export function rolledBlockHash(hash: number, factor: number, leaving: number, entering: number): number {
  return (Math.imul(hash, BASE) - Math.imul(leaving, factor) + entering) | 0
}

const BASE = 0x01000193
