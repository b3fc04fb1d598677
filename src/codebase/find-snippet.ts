/** A text with its whitespace evened out, which still knows its lines. */
export interface SearchableText {
  readonly text: string
  /** Where each line begins in `text`; line 1 first. */
  readonly lineStarts: readonly number[]
}

/** Evens out whitespace: every run of it, line ends included, is one space. */
export function searchable(text: string): SearchableText {
  const lineStarts: number[] = []
  const parts: string[] = []
  let length = 0
  for (const line of linesOf(text)) {
    lineStarts.push(length)
    const even = evenSpaced(line)
    if (even === '') continue
    parts.push(even)
    length += even.length + 1
  }
  return { text: parts.join(' '), lineStarts }
}

/** The lines of a text as editors count them: what follows the last line end is a line only when there is something. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

/** The same words with single spaces between them. */
export function evenSpaced(text: string): string {
  return text.replaceAll(/[\s\uFEFF]+/g, ' ').trim()
}

/** The lines, counted from 1, on which the snippet begins; at most `linesMax`. Part of a longer word or number is no match. */
export function linesWithSnippet(searched: SearchableText, snippet: string, linesMax: number): readonly number[] {
  const wanted = evenSpaced(snippet)
  const lines: number[] = []
  let from = 0
  while (lines.length < linesMax) {
    const index = searched.text.indexOf(wanted, from)
    if (index === -1) break
    from = index + 1
    if (!isWhole(searched.text, index, wanted)) continue
    const line = lineAt(searched.lineStarts, index)
    if (lines.at(-1) !== line) lines.push(line)
  }
  return lines
}

function isWhole(text: string, index: number, wanted: string): boolean {
  const end = index + wanted.length
  const isCutBefore = isWordCharacter(wanted[0]) && isWordCharacter(text[index - 1])
  const isCutAfter = isWordCharacter(wanted.at(-1)) && isWordCharacter(text[end])
  return !isCutBefore && !isCutAfter
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character)
}

/** The last line that begins at or before the place; of several that begin there, blank ones come first. */
function lineAt(lineStarts: readonly number[], index: number): number {
  let low = 0
  let high = lineStarts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((lineStarts[middle] ?? 0) <= index) low = middle
    else high = middle
  }
  return low + 1
}
