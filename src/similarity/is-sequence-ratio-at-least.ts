import { PawlError } from '../core/pawl-error.ts'
import { matchAll } from './match-all.ts'
import { startMatching } from './matching.ts'
import { matchedAtLeast, matchedAtMost } from './ratio-bounds.ts'
import { sequencePair, type Sequence } from './sequence-pair.ts'
import { ratioOf, type SequenceRatioOptions } from './sequence-ratio.ts'

export interface SequenceRatioDecisionOptions extends SequenceRatioOptions {
  /**
   * Give up once about so many elements were looked at, each as often as it was. Default: 50,000,000, which takes one to three seconds;
   * two real diffs of 1 MB need a fifth of it at most.
   */
  readonly workMax?: number
}

/**
 * Whether `sequenceRatio(a, b, options) >= threshold`, mostly without computing the ratio: bounds come first, and the search for
 * matches ends as soon as the answer is certain. `undefined` when it was not within `workMax`; that is no `true`.
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
  // Where rounding puts the threshold is for the same division to say, not for its inverse.
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
