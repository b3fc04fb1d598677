import {
  addRanges,
  endSplit,
  isOver,
  lengthMaxIn,
  type Matching,
  type Range,
  type Sequence,
  sequencePair,
  type SequencePair,
  sizeOf,
  startMatching,
  startSplit,
  takeMatch,
} from './matching.ts'
import { PawlError } from '../core/pawl-error.ts'
import { longestMatchLength, seedMatches, splitByGrams, splitBySeeds } from './find-matches.ts'

export interface SequenceRatioOptions {
  /** Leaves frequent elements of a long `b` out of the search, as Python does by default. Default: `false`. */
  readonly autojunk?: boolean
}

/**
 * How similar two sequences are, from 0 to 1: exactly CPython's `difflib.SequenceMatcher(None, a, b, autojunk).ratio()`, however
 * long that takes. Texts are compared by code point, arrays by line. The order matters: `b` is the newer one.
 */
export function sequenceRatio(a: Sequence, b: Sequence, { autojunk = false }: SequenceRatioOptions = {}): number {
  const matching = startMatching(sequencePair(a, b), autojunk)
  matchAll(matching)
  return ratioOf(matching.matched, matching.a.length + matching.b.length)
}

/** `length` is that of both sequences together. */
function ratioOf(matched: number, length: number): number {
  return length === 0 ? 1 : (2 * matched) / length
}

export interface SequenceRatioDecisionOptions extends SequenceRatioOptions {
  /**
   * Give up after visiting about this many elements. Default: 50,000,000, which takes one to three seconds; two real 1 MB diffs
   * need a fifth of it at most.
   */
  readonly workMax?: number
}

/**
 * Whether `sequenceRatio(a, b, options) >= threshold`, usually without computing the ratio: it tries bounds first and stops
 * searching once the answer is certain. `undefined` means undecided within `workMax`; don't treat it as `true`.
 */
export function isSequenceRatioAtLeast(
  a: Sequence,
  b: Sequence,
  threshold: number,
  options: SequenceRatioDecisionOptions = {},
): boolean | undefined {
  const { autojunk = false, workMax = WORK_MAX } = options
  requireBetween('threshold', threshold, 1)
  requireBetween('workMax', workMax, Infinity)
  const pair = sequencePair(a, b)
  const length = pair.a.length + pair.b.length
  const isEnough = (matched: number): boolean => ratioOf(matched, length) >= threshold
  if (!isEnough(Math.min(pair.a.length, pair.b.length))) return false
  if (isEnough(autojunk ? 0 : matchedAtLeast(pair))) return true
  if (!isEnough(matchedAtMost(pair))) return false
  // Inverting the division could round differently, so let the division itself find the smallest count that is enough.
  let matchedNeeded = Math.max(0, Math.ceil((threshold * length) / 2) - 2)
  while (!isEnough(matchedNeeded)) matchedNeeded++
  const matching = startMatching(pair, autojunk, { matchedNeeded, workMax })
  matchAll(matching)
  if (matching.matched >= matchedNeeded) return true
  return matching.matched + matching.open < matchedNeeded ? false : undefined
}

const WORK_MAX = 50_000_000

function requireBetween(setting: string, value: number, max: number): void {
  if (value >= 0 && value <= max) return
  const wanted = max === Infinity ? 'at least 0' : `from 0 to ${max}`
  throw new PawlError('setting.invalid', `isSequenceRatioAtLeast: ${setting} must be a number ${wanted}, not ${String(value)}.`, {
    value,
  })
}

/** An upper bound on the matched elements: those that both sequences contain, in any order. */
function matchedAtMost({ a, b }: SequencePair): number {
  const counts = new Map<number, number>()
  const table = new Int32Array(TABLE_SIZE)
  for (const element of b) {
    if (element < TABLE_SIZE) (table[element] as number)++
    else counts.set(element, (counts.get(element) ?? 0) + 1)
  }
  let common = 0
  for (const element of a) {
    if (element < TABLE_SIZE) {
      if ((table[element] as number)-- > 0) common++
    } else {
      const count = counts.get(element) ?? 0
      if (count > 0) common++
      counts.set(element, count - 1)
    }
  }
  return common
}

/** A lower bound on the matched elements without `autojunk`: `difflib` starts with the longest match. */
function matchedAtLeast({ a, b }: SequencePair): number {
  const lengthMax = Math.min(a.length, b.length)
  let atStart = 0
  while (atStart < lengthMax && a[atStart] === b[atStart]) atStart++
  let atEnd = 0
  while (atEnd < lengthMax && a[a.length - 1 - atEnd] === b[b.length - 1 - atEnd]) atEnd++
  return Math.max(atStart, atEnd)
}

/** Covers nearly all characters of source code. */
const TABLE_SIZE = 1024

/**
 * Long matches first: few places share a long block, and the ranges left over are small. Each length searches the ranges that
 * the previous one left.
 */
const BLOCK_LENGTHS = [256, 32, 8, 3] as const

/** Matches as `difflib` does until everything is matched or a limit is reached; the count is in `matching`. */
function matchAll(matching: Matching): void {
  const { a, b } = matching
  if (a.length === 0 || b.length === 0) return
  const whole = { aLow: 0, aHigh: a.length, bLow: 0, bHigh: b.length, lengthMax: Infinity, seedableMax: Infinity }
  let ranges: Range[] = [whole]
  for (const blockLength of BLOCK_LENGTHS) ranges = matchBlocks(matching, ranges, blockLength)
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    if (isOver(matching)) return
    if (isSmall(range)) matchSmallRange(matching, range)
    else addRanges(ranges, splitByGrams(matching, range, lengthMaxIn(range)))
  }
}

/** Takes all matches of at least `2 * blockLength - 1`; returns the ranges that are left. */
function matchBlocks(matching: Matching, ranges: Range[], blockLength: number): Range[] {
  const lengthMin = 2 * blockLength - 1
  const rest: Range[] = []
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    if (isOver(matching)) return []
    if (isSmall(range)) matchSmallRange(matching, range)
    else if (lengthMaxIn(range) < lengthMin) rest.push(range)
    else if (sizeOf(range) > range.seedableMax) addRanges(ranges, splitAtLongest(matching, range, 0))
    else {
      const matches = seedMatches(matching, range, blockLength)
      if (typeof matches === 'number') addRanges(ranges, splitAtLongest(matching, notSeedable(range), matches))
      else addRanges(rest, splitBySeeds(matching, range, matches, lengthMin))
    }
  }
  return rest
}

function splitAtLongest(matching: Matching, range: Range, lengthKnown: number): Range[] {
  const length = longestMatchLength(matching, range, lengthKnown)
  if (isOver(matching)) return []
  // A length of 0 means no match: this only closes the range.
  return splitByGrams(matching, range, Math.max(length, 1))
}

/** Ranges nearly as large as one that is too repetitive are probably too repetitive as well. */
function notSeedable(range: Range): Range {
  return { ...range, seedableMax: sizeOf(range) * 0.8 }
}

function isSmall({ aLow, aHigh, bLow, bHigh }: Range): boolean {
  return (aHigh - aLow) * (bHigh - bLow) <= SMALL_AREA_MAX
}

/** Up to this many pairs of elements, comparing them all is faster than building an index. */
const SMALL_AREA_MAX = 1024

/** Matches a small range completely by comparing every pair of elements. */
function matchSmallRange(matching: Matching, range: Range): void {
  const todo = [range]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { aLow, aHigh, bLow, bHigh } = next
    matching.work += (aHigh - aLow) * (bHigh - bLow)
    const { aStart, bStart, length } = longestMatch(matching, next)
    const split = startSplit(matching, next, length)
    if (length > 0) takeMatch(matching, split, aStart, bStart, length)
    todo.push(...endSplit(matching, split))
  }
}

/** The lengths of the matches that end at the previous element of `a`, by position in `b`. */
const lengths = new Int32Array(SMALL_AREA_MAX + 1)

function longestMatch(
  { a, b }: Matching,
  { aLow, aHigh, bLow, bHigh }: Range,
): { aStart: number; bStart: number; length: number } {
  let best = 0
  let aEnd = aLow
  let bEnd = bLow
  lengths.fill(0, 0, bHigh - bLow)
  for (let aIndex = aLow; aIndex < aHigh; aIndex++) {
    const element = a[aIndex]
    let before = 0
    for (let bIndex = bLow; bIndex < bHigh; bIndex++) {
      const length = b[bIndex] === element ? before + 1 : 0
      before = lengths[bIndex - bLow] as number
      lengths[bIndex - bLow] = length
      if (length > best) {
        best = length
        aEnd = aIndex + 1
        bEnd = bIndex + 1
      }
    }
  }
  return { aStart: aEnd - best, bStart: bEnd - best, length: best }
}
