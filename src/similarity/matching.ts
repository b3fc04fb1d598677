import { PawlError } from '../core/pawl-error.ts'

/**
 * One comparison in progress. Matches are searched for in `a` and `b`. If `autojunk` removed popular elements from them, a match
 * is extended in `fullA` and `fullB`; otherwise these are the same arrays.
 */
export interface Matching {
  readonly a: Int32Array
  readonly b: Int32Array
  readonly fullA: Int32Array
  readonly fullB: Int32Array
  readonly hasPopular: boolean
  /** Elements matched so far. */
  matched: number
  /** How many more elements can match at most: the shorter sides of all open ranges. */
  open: number
  /** Elements visited so far. */
  work: number
  readonly limits: MatchingLimits | undefined
  /** Memory that one range after another reuses. */
  readonly scratch: Scratch
}

/** When to stop before the end. */
export interface MatchingLimits {
  /** Stop once it is certain whether this many elements match. */
  readonly matchedNeeded: number
  /** Give up after visiting more elements than this. */
  readonly workMax: number
}

/** Arrays that grow with the largest range. Whoever uses one clears it first. */
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

/** Whether to stop: the answer is certain, or it took too much work. */
export function isOver({ limits, matched, open, work }: Matching): boolean {
  if (limits === undefined) return false
  return matched >= limits.matchedNeeded || matched + open < limits.matchedNeeded || work > limits.workMax
}

/** The given array if it is long enough, otherwise a new one. */
export function grow(array: Int32Array, length: number): Int32Array {
  return array.length >= length ? array : new Int32Array(Math.max(length, 2 * array.length))
}

/** A part of `a` against a part of `b`, ends exclusive, and what is known about it. */
export interface Range {
  readonly aLow: number
  readonly aHigh: number
  readonly bLow: number
  readonly bHigh: number
  /** No match in it is longer than this. */
  readonly lengthMax: number
  /** Ranges larger than this (both sides together) are known to be too repetitive to search for blocks. */
  readonly seedableMax: number
}

/** The number of elements on both sides together. */
export function sizeOf({ aLow, aHigh, bLow, bHigh }: Range): number {
  return aHigh - aLow + (bHigh - bLow)
}

/** An upper bound on the length of a match in the range. */
export function lengthMaxIn({ aLow, aHigh, bLow, bHigh, lengthMax }: Range): number {
  return Math.min(lengthMax, aHigh - aLow, bHigh - bLow)
}

/** Adds ranges to a list. `push(...ranges)` could exceed the maximum number of arguments. */
export function addRanges(list: Range[], ranges: readonly Range[]): void {
  for (const range of ranges) list.push(range)
}

/**
 * Cuts a range at its longest matches, from left to right, into the ranges between them. The order is difflib's: among the
 * longest matches it takes the earliest in `a`, then the earliest in `b`. Everything left of it has only shorter matches; the
 * part right of it is searched for the next match of this length.
 */
export interface RangeSplit {
  /** Where the next match may begin. */
  aLow: number
  bLow: number
  readonly aHigh: number
  readonly bHigh: number
  readonly lengthMax: number
  readonly seedableMax: number
  readonly between: Range[]
}

/** Starts cutting a range. The ranges left over contain no match longer than `lengthMax`. */
export function startSplit(matching: Matching, range: Range, lengthMax: number): RangeSplit {
  const { aLow, aHigh, bLow, bHigh, seedableMax } = range
  matching.open -= Math.min(aHigh - aLow, bHigh - bLow)
  return { aLow, aHigh, bLow, bHigh, lengthMax, seedableMax, between: [] }
}

/** Takes a match that starts at or after `aLow` and `bLow`. */
export function takeMatch(matching: Matching, split: RangeSplit, aStart: number, bStart: number, length: number): void {
  let aEnd = aStart + length
  let bEnd = bStart + length
  let aFirst = aStart
  let bFirst = bStart
  if (matching.hasPopular) {
    const { fullA, fullB } = matching
    while (aFirst > split.aLow && bFirst > split.bLow && fullA[aFirst - 1] === fullB[bFirst - 1]) {
      aFirst--
      bFirst--
    }
    while (aEnd < split.aHigh && bEnd < split.bHigh && fullA[aEnd] === fullB[bEnd]) {
      aEnd++
      bEnd++
    }
  }
  matching.matched += aEnd - aFirst
  leave(matching, split, aFirst, bFirst)
  split.aLow = aEnd
  split.bLow = bEnd
}

/** The ranges between the matches that were taken. */
export function endSplit(matching: Matching, split: RangeSplit): Range[] {
  leave(matching, split, split.aHigh, split.bHigh)
  return split.between
}

function leave(matching: Matching, split: RangeSplit, aHigh: number, bHigh: number): void {
  const { aLow, bLow, lengthMax, seedableMax, between } = split
  if (aLow >= aHigh || bLow >= bHigh) return
  if (lengthMax > 0) {
    matching.open += Math.min(aHigh - aLow, bHigh - bLow)
    between.push({ aLow, aHigh, bLow, bHigh, lengthMax, seedableMax })
  } else if (matching.hasPopular) {
    matching.matched += commonStart(matching, aLow, aHigh, bLow, bHigh)
  }
}

/** If no match is left, `difflib` still extends the empty match at the start of the range. */
function commonStart({ fullA, fullB }: Matching, aLow: number, aHigh: number, bLow: number, bHigh: number): number {
  const lengthMax = Math.min(aHigh - aLow, bHigh - bLow)
  let length = 0
  while (length < lengthMax && fullA[aLow + length] === fullB[bLow + length]) length++
  return length
}

/**
 * Chains the first `count` entries of `scratch.hashes` by slot: `heads[slot] - 1` is the earliest entry, `nexts` lead to later
 * ones, 0 ends a chain. Returns the shift for `slotOf`.
 */
export function chainHashes({ scratch }: Matching, count: number): number {
  const shift = Math.min(Math.clz32(Math.max(count, 2) * 2 - 1), 30)
  const size = 2 ** (32 - shift)
  const heads = (scratch.heads = grow(scratch.heads, size))
  const nexts = (scratch.nexts = grow(scratch.nexts, count))
  const { hashes } = scratch
  heads.fill(0, 0, size)
  // From last to first, so that every chain starts with the earliest.
  for (let entry = count - 1; entry >= 0; entry--) {
    const slot = slotOf(hashes[entry] as number, shift)
    nexts[entry] = heads[slot] as number
    heads[slot] = entry + 1
  }
  return shift
}

/** A hash's slot in a table of size `2 ** (32 - shift)`. */
export function slotOf(hash: number, shift: number): number {
  return Math.imul(hash, SPREAD) >>> shift
}

/** Fibonacci hashing. */
const SPREAD = 0x9e3779b1

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
function withoutPopular(pair: SequencePair): SequencePair {
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
