import type { CitationCheck, CitedPlace } from './codebase.ts'
import { evenSpaced, linesWithSnippet, searchable, type SearchableText } from './find-snippet.ts'
import { insidePath, readInside } from './read-inside.ts'

/** How far from the cited line a snippet may stand and still be taken for the one that was meant, where it stands in several places. */
const DRIFT_LINES_MAX = 20
const OCCURRENCES_MAX = 10_000
const FILE_BYTES_MAX = 8 * 1024 * 1024
const SNIPPET_LENGTH_MAX = 20_000

/** Looks up every cited place (ruling: a citation counts only when it was verified by us). Every file is read once. */
export function verifyCitations(root: string, citations: readonly CitedPlace[], signal: AbortSignal): readonly CitationCheck[] {
  const files = new Map<string, Opened>()
  return citations.map((citation) => {
    signal.throwIfAborted()
    const path = insidePath(citation.file)
    if (path === undefined) return refuted(`${shown(citation.file)} is not a path inside the folder`)
    const known = files.get(path)
    const opened = known ?? open(root, path)
    if (!known) files.set(path, opened)
    return 'reason' in opened ? refuted(`${shown(citation.file)} ${opened.reason}`) : inFile(opened, citation)
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
  // Nothing was quoted, as in checkpoints of other engines: all that can be said is that there is such a line.
  if (snippet.trim() === '' && line <= count) return { status: 'exact', line }
  if (!/[\p{L}\p{N}]/u.test(evenSpaced(snippet))) return refuted('the snippet has no word in it, so it proves nothing')
  if (line > count) return refuted(`${shown(file)} has ${count} lines, so there is no line ${line}`)
  const lines = linesWithSnippet(searched, snippet, OCCURRENCES_MAX)
  if (lines.includes(line)) return { status: 'exact', line }
  const nearest = lines.toSorted((one, other) => Math.abs(one - line) - Math.abs(other - line) || one - other)[0]
  if (nearest === undefined) return refuted(`the snippet does not stand in ${shown(file)}`)
  const isNear = Math.abs(nearest - line) <= DRIFT_LINES_MAX
  if (lines.length > 1 && !isNear) {
    return refuted(`the snippet stands in ${lines.length} places of ${shown(file)}, none of them near line ${line}`)
  }
  return { status: 'drifted', line: nearest, note: `the snippet stands in line ${nearest}, not in line ${line}` }
}

/** Paths are quoted in reports: whatever an agent made of one, it stays a short single line. */
function shown(file: string): string {
  const clean = file.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
  return clean.length > 200 ? `${clean.slice(0, 200)}…` : clean
}

function refuted(note: string): CitationCheck {
  return { status: 'refuted', note }
}
