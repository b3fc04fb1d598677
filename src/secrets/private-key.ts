import type { SecretSpan } from './secret-span.ts'

const MARKER = /-----(BEGIN|END) [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----/g

/**
 * A line of a key: base64 (quoted, indented or with a diff's sign, as it may be), a header like `DEK-Info:`, or nothing. `(?=(…))\1` takes what it
 * matches as a whole: a `+` may belong to any part of a line, and to try all ways of dividing a long line takes minutes.
 */
const KEY_LINE =
  /^(?=([\s+\-|>"'`]*))\1(?:(?=([A-Za-z0-9+/=]{16,}))\2[^A-Za-z0-9]?[A-Za-z]?[\s"'`,+\\]*|(?:Proc-Type|DEK-Info|Version|Comment):.*)?$/

/** The line before the end of a key may be as short as it likes. */
const LAST_KEY_LINE = /^(?=([\s+\-|>"'`]*))\1(?=([A-Za-z0-9+/=]*))\2[^A-Za-z0-9]?[A-Za-z]?[\s"'`,+\\]*$/

/** Longer than any private key: two markers farther apart do not belong together. */
const BLOCK_LENGTH_MAX = 20_000

/** Finds private key blocks whole, and what is left of them where an output was cut in the middle of one. */
export function findPrivateKeys(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  let begin: { start: number; end: number } | undefined
  for (const match of text.matchAll(MARKER)) {
    const marker = { start: match.index, end: match.index + match[0].length }
    if (begin !== undefined && (match[1] === 'BEGIN' || marker.end - begin.start > BLOCK_LENGTH_MAX)) {
      spans.push(block(begin.start, endOfKeyLines(text, begin.end, marker.start)))
      begin = undefined
    }
    if (match[1] === 'BEGIN') {
      begin = marker
      continue
    }
    spans.push(
      block(begin?.start ?? startOfKeyLines(text, marker.start, Math.min(spans.at(-1)?.end ?? 0, marker.start)), marker.end),
    )
    begin = undefined
  }
  if (begin !== undefined) spans.push(block(begin.start, endOfKeyLines(text, begin.end, text.length)))
  return spans
}

function block(start: number, end: number): SecretSpan {
  return { start, end, kind: 'private-key' }
}

function endOfKeyLines(text: string, from: number, until: number): number {
  let end = endOfLine(text, from)
  while (end < until) {
    const next = endOfLine(text, end + 1)
    if (!KEY_LINE.test(text.slice(end + 1, next))) break
    end = next
  }
  return end
}

function startOfKeyLines(text: string, from: number, since: number): number {
  let start = since + text.slice(since, from).lastIndexOf('\n') + 1
  for (let pattern = LAST_KEY_LINE; start > since; pattern = KEY_LINE) {
    const previous = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1
    if (!pattern.test(text.slice(previous, start - 1))) break
    start = previous
  }
  return start
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
