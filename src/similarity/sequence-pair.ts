import { PawlError } from '../core/pawl-error.ts'
import { codePoints } from './code-points.ts'

/** A text, compared by character, or lines, compared whole. */
export type Sequence = string | readonly string[]

/** Two sequences as numbers: two elements are equal if and only if their numbers are. */
export interface SequencePair {
  readonly a: Int32Array
  readonly b: Int32Array
}

/** Numbers for two texts (code points) or two arrays of lines (in order of appearance). A text beside an array is a mistake, and refused. */
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
