import { requireIntegerAtLeast, requireShare } from '../core/require.ts'
import { normalisedPatch, type NormalisedPatch } from './normalised-patch.ts'

/** How two patches compare, line by line and whatever their order. */
export interface PatchSimilarity {
  /** Dice: twice the lines they share by the lines of both, from 0 to 1; 1 for two empty patches. */
  readonly similarity: number
  /** Lines that only one of them has; a line changed in another way counts in both. */
  readonly linesDiffering: number
}

export interface StalledPatchOptions {
  /** Default: 0.97. */
  readonly similarityMin?: number
  /** In a large patch a few percent are real work, so a count is asked for as well. Default: 4. */
  readonly linesDifferingMax?: number
}

/** Compares two diffs, or two that were normalised before. */
export function patchSimilarity(a: string | NormalisedPatch, b: string | NormalisedPatch): PatchSimilarity {
  const { lines: aLines } = patchOf(a)
  const { lines: bLines } = patchOf(b)
  const lineCount = aLines.length + bLines.length
  const shared = sharedCount(aLines, bLines)
  return { similarity: lineCount === 0 ? 1 : (2 * shared) / lineCount, linesDiffering: lineCount - 2 * shared }
}

/** Whether the newer diff `b` changes next to nothing that `a` did not. A diff that changes nothing is never stalled. */
export function isStalledPatch(
  a: string | NormalisedPatch,
  b: string | NormalisedPatch,
  options: StalledPatchOptions = {},
): boolean {
  const { similarityMin = 0.97, linesDifferingMax = 4 } = options
  requireShare('isStalledPatch', 'similarityMin', similarityMin)
  requireIntegerAtLeast('isStalledPatch', 'linesDifferingMax', linesDifferingMax, 0)
  const [aPatch, bPatch] = [patchOf(a), patchOf(b)]
  if (aPatch.lines.length === 0 || bPatch.lines.length === 0) return false
  const { similarity, linesDiffering } = patchSimilarity(aPatch, bPatch)
  return similarity >= similarityMin && linesDiffering <= linesDifferingMax
}

function patchOf(patch: string | NormalisedPatch): NormalisedPatch {
  return typeof patch === 'string' ? normalisedPatch(patch) : patch
}

/** Both are sorted, so one walk over them finds what they share. */
function sharedCount(a: readonly string[], b: readonly string[]): number {
  let shared = 0
  for (let aIndex = 0, bIndex = 0; aIndex < a.length && bIndex < b.length;) {
    const [aLine, bLine] = [a[aIndex] as string, b[bIndex] as string]
    if (aLine === bLine) shared++
    if (aLine <= bLine) aIndex++
    if (bLine <= aLine) bIndex++
  }
  return shared
}
