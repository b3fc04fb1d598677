import { textHash } from '../core/text-hash.ts'

/** What a diff changes, without what changes by itself. Plain data: it can be stored. */
export interface NormalisedPatch {
  /** File, sign and line, sorted; a line that is changed twice is there twice. */
  readonly lines: readonly string[]
  /** The same for patches with the same lines, for equality only. */
  readonly fingerprint: string
}

/**
 * Reads a unified diff, as `git diff` writes it, and keeps the changed lines with their file and sign. Context, headers, the places
 * and the order of hunks and files, whitespace and points in time make no difference; of a binary file the ids of its content count.
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
    // The hunk says how long it is, so that no line in it is taken for a header; where the diff was cut it ends earlier.
    if ((oldLeft > 0 || newLeft > 0) && IN_HUNK.test(line)) {
      const sign = line[0]
      if (sign === '+' || sign === '-') changed.push(`${file} ${sign} ${normalised(line.slice(1))}`)
      if (sign !== '+' && sign !== '\\') oldLeft--
      if (sign !== '-' && sign !== '\\') newLeft--
      continue
    }
    const hunk = HUNK.exec(line)
    oldLeft = hunk === null ? 0 : Number(hunk[1] ?? 1)
    newLeft = hunk === null ? 0 : Number(hunk[2] ?? 1)
    if (line.startsWith('diff ')) {
      // Binary files have no other line with nothing but their name.
      file = line.replace(/^.* b\//, '')
    } else if (line.startsWith('index ')) {
      content = line.slice('index '.length)
    } else if (line.startsWith('--- ') || line.startsWith('+++ ')) {
      // Of a deleted file the old name is the only one.
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

function normalised(line: string): string {
  return line.replaceAll(/\s+/g, ' ').trim().replaceAll(POINT_IN_TIME, '<time>')
}

/** `2026-11-16T02:18:16.123Z`, `02:18:16`, and seconds or milliseconds since 1970; a day alone may be meant. */
const POINT_IN_TIME =
  /\b(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\dZ?|\b1[5-9]\d{8}(?:\d{3})?\b/g
