import { type AnswerUncertainty, cutSnippet } from '../loops/research/answer.ts'
import type { CitedPlace } from '../loops/research/finding.ts'
import { linesOf } from '../codebase/verify-citations.ts'
import type { ResearchRequest } from '../loops/research/prompts.ts'
import type { CodebaseContext, CodeIndex, ReadableCodebase } from '../codebase/codebase.ts'
import { isSameWord, splitWords, topicWords } from '../codebase/words.ts'

/** One search of a codebase: the request, the index, and what was read on the way. */
export interface Look {
  readonly request: ResearchRequest
  readonly codebase: ReadableCodebase
  readonly index: CodeIndex
  readonly context: CodebaseContext
  readonly uncertainties: AnswerUncertainty[]
  /** The words that the question is about. */
  readonly words: readonly string[]
  /** A file's lines; none if it can't be read. */
  lines(file: string): Promise<readonly string[]>
  /** A citation of the line with its text; `undefined` if the line has no words. */
  cite(file: string, line: number): Promise<CitedPlace | undefined>
  /** Citations of several places, without those that have no words; at most `citationsMax`. */
  citeAll(
    places: readonly { readonly file: string; readonly line: number }[],
    citationsMax?: number,
  ): Promise<readonly CitedPlace[]>
  filesRead(): readonly string[]
}

const SNIPPET_LENGTH_MAX = 200
const CITATIONS_MAX = 12

/** The part of a line before a value that looks like a secret: reports quote lines, and must not contain the value. */
const SECRET = /^.*?(?:password|passwd|secret|api_?key|token|credential)\w*["']?\s*[:=]\s*(?=["'`]?[^\s"'`]{8,})/i

/** Starts a search. Every file is read once. */
export function lookInto(parts: Pick<Look, 'request' | 'codebase' | 'index' | 'context'>): Look {
  const texts = new Map<string, readonly string[]>()
  const lines = async (file: string) => {
    parts.context.signal.throwIfAborted()
    const known = texts.get(file)
    if (known) return known
    const read = linesOf((await parts.index.text(file)) ?? '')
    texts.set(file, read)
    return read
  }
  const cite = async (file: string, line: number) => {
    const text = (await lines(file))[line - 1] ?? ''
    const snippet = cutSnippet((SECRET.exec(text)?.[0] ?? text).trim(), SNIPPET_LENGTH_MAX)
    return /[\p{L}\p{N}]/u.test(snippet) ? { file, line, snippet } : undefined
  }
  return {
    ...parts,
    uncertainties: [],
    words: topicWords(parts.request.terms.join(' ')),
    lines,
    cite,
    citeAll: async (places, citationsMax = CITATIONS_MAX) => {
      const citations: CitedPlace[] = []
      for (const { file, line } of places) {
        const citation = citations.length < citationsMax ? await cite(file, line) : undefined
        if (citation) citations.push(citation)
      }
      return citations
    },
    filesRead: () => [...texts.keys()].filter((file) => (texts.get(file) ?? []).join('') !== '').toSorted(),
  }
}

const LINES_MAX = 2000

export interface MentioningLine {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** The lines that contain one of the question's words, also as part of a name; at most a few thousand. */
export async function linesMentioning(look: Look, files: readonly string[]): Promise<readonly MentioningLine[]> {
  const found: MentioningLine[] = []
  const known = new Set(look.index.files())
  for (const file of files.filter((each) => known.has(each))) {
    for (const [index, text] of (await look.lines(file)).entries()) {
      if (isMentioned(look, text)) found.push({ file, line: index + 1, text })
      if (found.length >= LINES_MAX) return found
    }
  }
  return found
}

/** Whether a text has one of the question's words in some form. */
export function isMentioned({ words }: Look, text: string): boolean {
  return splitWords(text).some((each) => words.some((word) => isSameWord(each, word)))
}

const SHOWN_MAX = 8

/**
 * Names in a sentence: `a, b and c`, or the first few `and others`. It has no count, because findings that differ in a number
 * would count as a contradiction.
 */
export function joinNames(names: readonly string[], shownMax = SHOWN_MAX): string {
  const shown = names.slice(0, shownMax)
  if (names.length > shownMax) return `${shown.join(', ')} and others`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
