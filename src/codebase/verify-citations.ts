import type { CitationCheck, CitedPlace } from './codebase.ts'
import { insidePath, readInside } from './read-inside.ts'

/** If a snippet occurs several times, how far from the cited line it may be and still count as the one that was meant. */
const DRIFT_LINES_MAX = 20
const OCCURRENCES_MAX = 10_000
const FILE_BYTES_MAX = 8 * 1024 * 1024
const SNIPPET_LENGTH_MAX = 20_000

/** Checks every citation. Reads each file once. */
export function verifyCitations(root: string, citations: readonly CitedPlace[], signal: AbortSignal): readonly CitationCheck[] {
  const files = new Map<string, Opened>()
  return citations.map((citation) => {
    signal.throwIfAborted()
    const path = insidePath(citation.file)
    if (path === undefined) return refuted(`${oneLine(citation.file)} is not a path inside the folder`)
    const known = files.get(path)
    const opened = known ?? open(root, path)
    if (!known) files.set(path, opened)
    return 'reason' in opened ? refuted(`${oneLine(citation.file)} ${opened.reason}`) : inFile(opened, citation)
  })
}

type Opened = SearchableText | { readonly reason: string }

function open(root: string, path: string): Opened {
  const read = readInside(root, path, FILE_BYTES_MAX)
  return read.status === 'text' ? searchable(read.text) : { reason: read.reason }
}

function inFile(searched: SearchableText, { file, line, snippet }: CitedPlace): CitationCheck {
  const count = searched.lineStarts.length
  const isLine = Number.isInteger(line) && line >= 1
  if (!isLine) return refuted(`${line} is not a line: lines are whole numbers from 1`)
  if (snippet.length > SNIPPET_LENGTH_MAX) return refuted(`the snippet is longer than ${SNIPPET_LENGTH_MAX} characters`)
  // Nothing is quoted, as in checkpoints of other engines, so only check that the line exists.
  if (snippet.trim() === '' && line <= count) return { status: 'exact', line }
  if (!/[\p{L}\p{N}]/u.test(evenSpaced(snippet))) return refuted('the snippet has no word in it, so it proves nothing')
  if (line > count) return refuted(`${oneLine(file)} has ${count} lines, so there is no line ${line}`)
  const lines = linesWithSnippet(searched, snippet, OCCURRENCES_MAX)
  if (lines.includes(line)) return { status: 'exact', line }
  const nearest = lines.toSorted((one, other) => Math.abs(one - line) - Math.abs(other - line) || one - other)[0]
  if (nearest === undefined) return refuted(`the snippet isn't in ${oneLine(file)}`)
  const isNear = Math.abs(nearest - line) <= DRIFT_LINES_MAX
  if (lines.length > 1 && !isNear) {
    return refuted(`the snippet is in ${lines.length} places of ${oneLine(file)}, none of them near line ${line}`)
  }
  return { status: 'drifted', line: nearest, note: `the snippet is in line ${nearest}, not in line ${line}` }
}

/** Reports quote paths, so keep whatever an agent wrote short and on one line. */
function oneLine(file: string): string {
  const clean = file.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
  return clean.length > 200 ? `${clean.slice(0, 200)}…` : clean
}

function refuted(note: string): CitationCheck {
  return { status: 'refuted', note }
}

/** A text with normalised whitespace that still knows its lines. */
export interface SearchableText {
  readonly text: string
  /** Where each line starts in `text`. */
  readonly lineStarts: readonly number[]
}

/** Replaces every run of whitespace, including line ends, by one space. */
function searchable(text: string): SearchableText {
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

/** A text's lines as editors count them: nothing after the last line end isn't a line. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  if (lines.length > 1 && lines.at(-1) === '') lines.pop()
  return lines
}

/** Replaces every run of whitespace by one space. */
function evenSpaced(text: string): string {
  return text.replaceAll(/[\s\uFEFF]+/g, ' ').trim()
}

/** The lines, counted from 1, where the snippet starts, at most `linesMax`. A part of a longer word or number doesn't match. */
function linesWithSnippet(searched: SearchableText, snippet: string, linesMax: number): readonly number[] {
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

/** The last line that starts at or before the index. Blank lines start there too, but come earlier. */
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
