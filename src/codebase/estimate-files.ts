import type { AskedFor, EstimateRequest, Hit, RelevantFile } from './codebase.ts'
import type { CodeTables } from './code-tables.ts'
import { namesIn, readQuestion } from './question.ts'
import { isMainSource, search } from './search.ts'
import { hasWord } from './words.ts'

/**
 * Which files count, by what is asked: files below the share of the best score don't, and at most so many do. A place needs few
 * files, the whole codebase all that matter.
 */
const BOUNDS: Readonly<Record<AskedFor, { readonly shareMin: number; readonly filesMax: number }>> = {
  place: { shareMin: 0.7, filesMax: 3 },
  uses: { shareMin: 0.7, filesMax: 3 },
  imports: { shareMin: 0.7, filesMax: 3 },
  importers: { shareMin: 0.7, filesMax: 3 },
  path: { shareMin: 0.5, filesMax: 8 },
  other: { shareMin: 0.4, filesMax: 12 },
  whole: { shareMin: 0.25, filesMax: Infinity },
}
/** The maximum for a neighbour of a cited file, as a share of the best score, divided by the root of the number of neighbours. */
const NEIGHBOUR_SHARE = 0.6
const ABOUT_TESTS = /\b(?:tests?|tested|testing|specs?|fixtures?|conftest)\b/i
const ABOUT_DOCUMENTS =
  /\b(?:documentation|docs?|documents?|readme|changelog|examples?|config(?:uration)?|settings?|ya?ml|json|toml)\b/i

/**
 * The files that the questions are about, best first; without questions, those that the terms are about. Tests, examples and
 * documents count only if the question speaks of them, or if nothing else matches. Where the whole codebase is asked about, the
 * cited files and what they import or what imports them count too.
 */
export function estimateFiles(tables: CodeTables, request: EstimateRequest): readonly RelevantFile[] {
  const known = new Set(tables.known().flatMap(({ path, kind }) => (kind === 'binary' ? [] : [path])))
  const asked = (request.questions ?? []).map(({ text }) => readQuestion(text))
  const texts = asked.length > 0 ? asked : [{ ...readQuestion(request.terms.join(' ')), asks: 'whole' as const }]
  const files = new Map<string, { readonly share: number; readonly reasons: readonly string[] }>()
  for (const { text, asks } of texts) {
    const { hits } = search(tables, text, namesIn(text))
    const meant = meantHits(text, hits)
    const best = meant[0]?.score ?? 0
    const { shareMin, filesMax } = BOUNDS[asks]
    for (const hit of meant.filter(({ score }) => score >= best * shareMin).slice(0, filesMax)) {
      const share = hit.score / best
      if (share > (files.get(hit.path)?.share ?? 0)) files.set(hit.path, { share, reasons: reasonsFor(tables, hit) })
    }
  }
  if (texts.some(({ asks }) => asks === 'whole' || asks === 'path' || asks === 'other'))
    addCited(tables, request.cited, known, files)
  return [...files]
    .toSorted(([one, { share }], [other, { share: otherShare }]) => otherShare - share || (one < other ? -1 : 1))
    .slice(0, request.filesMax)
    .map(([path, { share, reasons }]) => ({ path, score: Math.round(share * 1000) / 1000, reasons }))
}

function meantHits(text: string, hits: readonly Hit[]): readonly Hit[] {
  if (ABOUT_TESTS.test(text) || ABOUT_DOCUMENTS.test(text)) return hits
  const main = hits.filter(({ path }) => isMainSource(path))
  return main.length > 0 ? main : hits
}

function addCited(
  tables: CodeTables,
  given: readonly string[],
  known: ReadonlySet<string>,
  files: Map<string, { readonly share: number; readonly reasons: readonly string[] }>,
): void {
  const cited = [...new Set(given)].filter((path) => known.has(path)).toSorted()
  const add = (path: string, share: number, reason: string): void => {
    const before = files.get(path)
    if (!before && share < BOUNDS.whole.shareMin) return
    files.set(path, { share: Math.max(share, before?.share ?? 0), reasons: [...(before?.reasons ?? []), reason] })
  }
  for (const path of cited) {
    const imports = tables.edgesFrom(path).filter(({ to }) => isMainSource(to))
    const importers = tables.edgesTo(path).filter(({ from }) => isMainSource(from))
    for (const { to } of imports) add(to, NEIGHBOUR_SHARE / Math.sqrt(imports.length), `imported by ${path}, which is cited`)
    for (const { from, line } of importers)
      add(from, NEIGHBOUR_SHARE / Math.sqrt(importers.length), `imports ${path}, which is cited (line ${line})`)
  }
  for (const path of cited) {
    const before = files.get(path)
    files.set(path, { share: 1, reasons: ['cited by a finding', ...(before?.reasons ?? [])] })
  }
}

const NAMES_MAX = 3

/** Why a file probably matters, strongest reason first. */
function reasonsFor(tables: CodeTables, { path, words }: Hit): readonly string[] {
  const single = words.flatMap((word) => word.split(' '))
  const names = new Map<string, { line: number; count: number }>()
  for (const { name, line } of tables.symbolsIn(path)) {
    const count = single.filter((word) => hasWord(name, word)).length
    if (count > 0 && !names.has(name)) names.set(name, { line, count })
  }
  const shown = [...names].toSorted(([, one], [, other]) => other.count - one.count).slice(0, NAMES_MAX)
  const inPath = single.filter((word) => hasWord(path, word))
  const mentioned = words.filter((word) => !inPath.includes(word) && shown.every(([name]) => !hasWord(name, word)))
  return [
    ...shown.map(([name, { line }]) => `declares \`${name}\` (line ${line})`),
    ...inPath.map((word) => `path contains \`${word}\``),
    ...mentioned.map((word) => `mentions \`${word}\``),
  ]
}
