import { PawlError } from '../core/pawl-error.ts'

/** A text, compared by character, or lines, compared whole. */
export type Sequence = string | readonly string[]

/** Two sequences as numbers: two elements are equal if and only if their numbers are. */
export interface SequencePair {
  readonly a: Int32Array
  readonly b: Int32Array
}

/** Numbers two texts by code point, or two arrays of lines in order of appearance. Throws for a text and an array. */
export function sequencePair(a: Sequence, b: Sequence): SequencePair {
  if (typeof a === 'string' && typeof b === 'string') return { a: codePoints(a), b: codePoints(b) }
  if (typeof a === 'string' || typeof b === 'string')
    throw new PawlError('similarity.sequences', 'Two texts can be compared, or two arrays of lines, but not one with the other.')
  const numbers = new Map<string, number>()
  return { a: lineNumbers(a, numbers), b: lineNumbers(b, numbers) }
}

function lineNumbers(lines: readonly string[], numbers: Map<string, number>): Int32Array {
  return Int32Array.from(lines, (line) => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  })
}

/** The code points of a text, as Python counts characters: a lone surrogate counts as one. */
function codePoints(text: string): Int32Array {
  const points = new Int32Array(text.length)
  let count = 0
  for (let index = 0; index < text.length; index++) {
    let point = text.charCodeAt(index)
    if ((point & SURROGATE_MASK) === HIGH_SURROGATE && index + 1 < text.length) {
      const low = text.charCodeAt(index + 1)
      if ((low & SURROGATE_MASK) === LOW_SURROGATE) {
        point = ASTRAL_START + ((point - HIGH_SURROGATE) << 10) + (low - LOW_SURROGATE)
        index++
      }
    }
    points[count++] = point
  }
  return points.subarray(0, count)
}

const SURROGATE_MASK = 0xfc00
const HIGH_SURROGATE = 0xd800
const LOW_SURROGATE = 0xdc00
const ASTRAL_START = 0x10000

/**
 * Applies `autojunk`: if `b` has at least 200 elements, those that make up more than 1% of it get numbers that match nothing.
 * Returns the same pair if there are none.
 */
export function withoutPopular(pair: SequencePair): SequencePair {
  const { a, b } = pair
  if (b.length < LENGTH_MIN) return pair
  const countMax = Math.floor(b.length / 100) + 1
  const counts = new Map<number, number>()
  for (const element of b) counts.set(element, (counts.get(element) ?? 0) + 1)
  const popular = new Set([...counts].filter(([, count]) => count > countMax).map(([element]) => element))
  if (popular.size === 0) return pair
  return {
    a: a.map((element) => (popular.has(element) ? NOTHING_IN_A : element)),
    b: b.map((element) => (popular.has(element) ? NOTHING_IN_B : element)),
  }
}

const LENGTH_MIN = 200
const NOTHING_IN_A = -1
const NOTHING_IN_B = -2
