import { matchAll } from './match-all.ts'
import { startMatching } from './matching.ts'
import { type Sequence, sequencePair, type SequencePair } from './sequence-pair.ts'
import { PawlError } from '../core/pawl-error.ts'

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
