import { withoutPopular } from './popular-elements.ts'
import type { SequencePair } from './sequence-pair.ts'

/**
 * One comparison under way. Matches are searched for in `a` and `b`; where `autojunk` took popular elements out of them, a match
 * found is lengthened in `fullA` and `fullB`, which are the same arrays otherwise.
 */
export interface Matching {
  readonly a: Int32Array
  readonly b: Int32Array
  readonly fullA: Int32Array
  readonly fullB: Int32Array
  readonly hasPopular: boolean
  /** Elements matched so far. */
  matched: number
  /** What can still be matched at most: the shorter side of every range that is not done. */
  open: number
  /** Elements looked at so far. */
  work: number
  readonly limits: MatchingLimits | undefined
  /** Memory that ranges use one after the other. */
  readonly scratch: Scratch
}

/** When to stop before the end. */
export interface MatchingLimits {
  /** The question is only whether so many elements match. */
  readonly matchedNeeded: number
  /** Give up once more elements than this were looked at. */
  readonly workMax: number
}

/** Arrays that grow with the largest range and are never cleared but by their users. */
export interface Scratch {
  heads: Int32Array
  nexts: Int32Array
  hashes: Int32Array
  ends: Int32Array
}

/** A comparison before its first step. */
export function startMatching(pair: SequencePair, isAutojunk: boolean, limits?: MatchingLimits): Matching {
  const { a, b } = isAutojunk ? withoutPopular(pair) : pair
  const nothing = new Int32Array(0)
  return {
    a,
    b,
    fullA: pair.a,
    fullB: pair.b,
    hasPopular: b !== pair.b,
    matched: 0,
    open: Math.min(a.length, b.length),
    work: 0,
    limits,
    scratch: { heads: nothing, nexts: nothing, hashes: nothing, ends: nothing },
  }
}

/** Whether there is no need to go on: the answer is certain, or too much work was done for it. */
export function isOver({ limits, matched, open, work }: Matching): boolean {
  if (limits === undefined) return false
  return matched >= limits.matchedNeeded || matched + open < limits.matchedNeeded || work > limits.workMax
}

/** An array of at least `length`, the given one where it is long enough. */
export function grown(array: Int32Array, length: number): Int32Array {
  return array.length >= length ? array : new Int32Array(Math.max(length, 2 * array.length))
}
