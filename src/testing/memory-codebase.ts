import type { CitationCheck, CitedPlace, Codebase, Estimate } from '../codebase/codebase.ts'
import type { Files } from './memory-workspace.ts'

export interface MemoryCodebase extends Codebase {
  /** Paths that were asked for, for tests that mind what is never looked at. */
  readonly asked: readonly string[]
}

/** A codebase of texts in memory: a file is relevant when a term stands in it, and words must stand at their line or elsewhere in the file. */
export function memoryCodebase(files: Files): MemoryCodebase {
  const asked: string[] = []
  return {
    asked,
    spec: { name: 'memory', v: 1, settings: {} },
    estimate: async ({ terms, cited, filesMax }): Promise<Estimate> => {
      const relevant = [...files].flatMap(([path, text]) => {
        const said = terms.filter((term) => `${path}\n${text}`.toLowerCase().includes(term.toLowerCase()))
        const reasons = [...said.map((term) => `says ${term}`), ...(cited.includes(path) ? ['is cited'] : [])]
        return reasons.length === 0 ? [] : [{ path, score: reasons.length, reasons }]
      })
      const sorted = relevant.toSorted((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1))
      return { files: sorted.slice(0, filesMax), filesTotal: files.size }
    },
    verify: async (citations) => citations.map((citation) => verified(files, citation, asked)),
  }
}

function verified(files: Files, { file, line, snippet }: CitedPlace, asked: string[]): CitationCheck {
  asked.push(file)
  const lines = files.get(file)?.split('\n')
  if (!lines) return { status: 'refuted', note: 'there is no such file' }
  const words = (snippet.split('\n')[0] ?? '').trim()
  if (lines[line - 1]?.includes(words)) return { status: 'exact', line }
  const elsewhere = lines.findIndex((text) => words !== '' && text.includes(words))
  if (elsewhere < 0) return { status: 'refuted', note: 'the words do not stand in the file' }
  return { status: 'drifted', line: elsewhere + 1, note: `it stands in line ${elsewhere + 1}, not ${line}` }
}
