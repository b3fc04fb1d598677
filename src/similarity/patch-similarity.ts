import { textHash } from '../core/text-hash.ts'
import { SHARE, wholeNumber } from '../schema/kinds.ts'
import { requireKind } from '../schema/read-options.ts'

/** How two patches compare by their lines, in any order. */
export interface PatchSimilarity {
  /** The Dice coefficient: twice the shared lines divided by all lines, from 0 to 1; 1 for two empty patches. */
  readonly similarity: number
  /** Lines that only one of them has. A line changed differently counts in both. */
  readonly linesDiffering: number
}

export interface StalledPatchOptions {
  /** Default: 0.97. */
  readonly similarityMin?: number
  /** A few percent of a large patch are real work, so a count applies as well. Default: 4. */
  readonly linesDifferingMax?: number
}

/** Compares two diffs, normalised or not. */
export function patchSimilarity(a: string | NormalisedPatch, b: string | NormalisedPatch): PatchSimilarity {
  const { lines: aLines } = patchOf(a)
  const { lines: bLines } = patchOf(b)
  const lineCount = aLines.length + bLines.length
  const shared = sharedCount(aLines, bLines)
  return { similarity: lineCount === 0 ? 1 : (2 * shared) / lineCount, linesDiffering: lineCount - 2 * shared }
}

/** Whether the newer diff `b` changes almost nothing that `a` didn't. An empty diff is never stalled. */
export function isStalledPatch(
  a: string | NormalisedPatch,
  b: string | NormalisedPatch,
  options: StalledPatchOptions = {},
): boolean {
  const { similarityMin = 0.97, linesDifferingMax = 4 } = options
  requireKind('isStalledPatch', 'similarityMin', similarityMin, SHARE)
  requireKind('isStalledPatch', 'linesDifferingMax', linesDifferingMax, wholeNumber(0))
  const [aPatch, bPatch] = [patchOf(a), patchOf(b)]
  if (aPatch.lines.length === 0 || bPatch.lines.length === 0) return false
  const { similarity, linesDiffering } = patchSimilarity(aPatch, bPatch)
  return similarity >= similarityMin && linesDiffering <= linesDifferingMax
}

function patchOf(patch: string | NormalisedPatch): NormalisedPatch {
  return typeof patch === 'string' ? normalisedPatch(patch) : patch
}

/** Both are sorted, so one pass finds the shared lines. */
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

/** The lines that a diff changes, without context and times. Plain data: you can store it. */
export interface NormalisedPatch {
  /** File, sign and line, sorted. A line that changes twice is listed twice. */
  readonly lines: readonly string[]
  /** Equal for patches with the same lines. Use it only to test equality. */
  readonly fingerprint: string
}

/**
 * Reads a unified diff, as `git diff` writes it, and keeps the changed lines with their file and sign. It ignores context,
 * headers, the position and order of hunks and files, whitespace and times. A binary file counts by its content ids.
 */
export function normalisedPatch(diff: string): NormalisedPatch {
  const lines = changedLines(diff).toSorted()
  return { lines, fingerprint: textHash(lines.join('\n')) }
}

function changedLines(diff: string): string[] {
  const changed: string[] = []
  let file = ''
  let content = ''
  let oldLeft = 0
  let newLeft = 0
  for (const line of diff.split('\n')) {
    // A hunk states its length, so no line in it is mistaken for a header. If the diff was cut off, it ends earlier.
    if ((oldLeft > 0 || newLeft > 0) && IN_HUNK.test(line)) {
      const sign = line[0]
      if (sign === '+' || sign === '-') changed.push(`${file} ${sign} ${normaliseLine(line.slice(1))}`)
      if (sign !== '+' && sign !== '\\') oldLeft--
      if (sign !== '-' && sign !== '\\') newLeft--
      continue
    }
    const hunk = HUNK.exec(line)
    oldLeft = hunk === null ? 0 : Number(hunk[1] ?? 1)
    newLeft = hunk === null ? 0 : Number(hunk[2] ?? 1)
    if (line.startsWith('diff ')) {
      // For a binary file, no other line has the bare name.
      file = line.replace(/^.* b\//, '')
    } else if (line.startsWith('index ')) {
      content = line.slice('index '.length)
    } else if (line.startsWith('--- ') || line.startsWith('+++ ')) {
      // A deleted file has only its old name.
      const name = line.slice('+++ '.length).replace(/\t.*$/, '')
      if (name !== '/dev/null') file = name.replace(/^[ab]\//, '')
    } else if (line.startsWith('Binary files ') || line === 'GIT binary patch') {
      changed.push(`${file} ! ${content}`)
    }
  }
  return changed
}

const IN_HUNK = /^(?:[-+ \\]|$)/
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

function normaliseLine(line: string): string {
  return line.replaceAll(/\s+/g, ' ').trim().replaceAll(POINT_IN_TIME, '<time>')
}

/** `2026-11-16T02:18:16.123Z`, `02:18:16`, and seconds or milliseconds since 1970. A date alone may be meaningful. */
const POINT_IN_TIME =
  /\b(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\dZ?|\b1[5-9]\d{8}(?:\d{3})?\b/g
