import { matchAll } from './match-all.ts'
import { startMatching } from './matching.ts'
import { sequencePair, type Sequence } from './sequence-pair.ts'

export interface SequenceRatioOptions {
  /** Leaves frequent elements of a long `b` out of the search, as Python does by default. Default: `false`. */
  readonly autojunk?: boolean
}

/**
 * How alike two sequences are, from 0 to 1: exactly `difflib.SequenceMatcher(None, a, b, autojunk).ratio()` of CPython, however
 * long it takes. Two texts are compared by character (code point), two arrays by line. `b` is the newer one: the order matters.
 */
export function sequenceRatio(a: Sequence, b: Sequence, { autojunk = false }: SequenceRatioOptions = {}): number {
  const matching = startMatching(sequencePair(a, b), autojunk)
  matchAll(matching)
  return ratioOf(matching.matched, matching.a.length + matching.b.length)
}

/** The ratio for so many matched elements out of `length` in both sequences together. */
export function ratioOf(matched: number, length: number): number {
  return length === 0 ? 1 : (2 * matched) / length
}
