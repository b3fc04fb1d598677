import type { AnswerUncertainty } from '../../loops/research/agent-answer.ts'
import { cutSnippet } from '../../loops/research/cut-snippet.ts'
import type { CitedPlace } from '../../loops/research/finding.ts'
import type { ResearchRequest } from '../../loops/research/research-request.ts'
import { significantWords } from '../../loops/research/terms.ts'
import type { CodebaseContext, CodeIndex, ReadableCodebase } from '../../codebase/codebase.ts'

/** One look into a codebase: what is asked, what is there, and what was read on the way. */
export interface Look {
  readonly request: ResearchRequest
  readonly codebase: ReadableCodebase
  readonly index: CodeIndex
  readonly context: CodebaseContext
  readonly uncertainties: AnswerUncertainty[]
  /** The words of the question in all the forms that stand in the codebase. */
  readonly words: ReadonlySet<string>
  /** The lines of a file; none where it cannot be read. */
  lines(file: string): Promise<readonly string[]>
  /** The place with the words that stand there; `undefined` when the line has no words. */
  cite(file: string, line: number): Promise<CitedPlace | undefined>
  /** Citations of several places, those without words left out; at most `citationsMax`. */
  citeAll(
    places: readonly { readonly file: string; readonly line: number }[],
    citationsMax?: number,
  ): Promise<readonly CitedPlace[]>
  filesRead(): readonly string[]
}

const SNIPPET_LENGTH_MAX = 200
const CITATIONS_MAX = 12

/** The part of a line before a value that looks like a secret: what is quoted goes into reports, and the value must not. */
const SECRET = /^.*?(?:password|passwd|secret|api_?key|token|credential)\w*["']?\s*[:=]\s*(?=["'`]?[^\s"'`]{8,})/i

/** Begins a look. Every file is read once. */
export function lookInto(parts: Pick<Look, 'request' | 'codebase' | 'index' | 'context'>): Look {
  const texts = new Map<string, readonly string[]>()
  const lines = async (file: string) => {
    parts.context.signal.throwIfAborted()
    const known = texts.get(file)
    if (known) return known
    const read = ((await parts.index.text(file)) ?? '').split(/\r?\n/)
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
    words: wordsOf(parts.index, parts.request.terms),
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
    filesRead: () => [...texts.keys()].filter((file) => (texts.get(file)?.length ?? 0) > 1).toSorted(),
  }
}

/** The words of terms in all the forms that stand in the codebase. */
export function wordsOf(index: CodeIndex, terms: readonly string[]): ReadonlySet<string> {
  return new Set(terms.flatMap(significantWords).flatMap((word) => [word, ...index.formsOf(word)]))
}
