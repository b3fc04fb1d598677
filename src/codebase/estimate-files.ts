import type { EstimateRequest, RelevantFile } from './codebase.ts'
import type { CodeTables } from './code-tables.ts'
import { fileWeight } from './file-weight.ts'
import { reasonsFor, type Neighbourhood } from './estimate-reasons.ts'
import { splitWords } from './split-words.ts'
import { wordForms } from './word-forms.ts'

/** How much a match weighs by where it is. In the text the file where the word stands out most has 1, the others less. */
const WEIGHTS = { path: 1.5, symbols: 2, wholeName: 3 }
/** What a file around a cited one has at most, as a share of the best score; it is divided by the root of their number. */
const NEIGHBOUR_SHARE = 0.6
/** Files below this share of the best score are not thought to matter. */
const SCORE_SHARE_MIN = 0.15
/** What is left of the score of a file that has next to none of the terms. */
const ALONE_SHARE = 0.3
const TERMS_MAX = 30

/** The text of a file, for the reasons; `undefined` where it cannot be read. */
export type TextOf = (path: string) => string | undefined

/**
 * The files that matter for the terms, and those around the cited ones. A term weighs the more the fewer files have it; a cited file
 * matters as much as the best.
 */
export function estimateFiles(tables: CodeTables, request: EstimateRequest, textOf: TextOf): readonly RelevantFile[] {
  const files = new Set(tables.known().flatMap(({ path, kind }) => (kind === 'binary' ? [] : [path])))
  const terms = matchedTerms(tables, request.terms)
  const scores = termScores(terms, files)
  const best = Math.max(...scores.values(), 0) || 1
  const cited = [...new Set(request.cited)].filter((path) => files.has(path)).toSorted()
  const around = neighbourhood(tables, cited)
  for (const [path, { share }] of around) scores.set(path, (scores.get(path) ?? 0) + best * NEIGHBOUR_SHARE * share)
  for (const path of cited) scores.set(path, Math.max(scores.get(path) ?? 0, best))
  const top = Math.max(...scores.values(), 0)
  return [...scores]
    .filter(([, score]) => score >= top * SCORE_SHARE_MIN)
    .toSorted(([one, scoreOne], [other, scoreOther]) => scoreOther - scoreOne || (one < other ? -1 : 1))
    .slice(0, request.filesMax)
    .map(([path, score]) => ({
      path,
      score: Math.round((score / top) * 1000) / 1000,
      reasons: reasonsFor(tables, path, terms, { cited, around, textOf }),
    }))
}

/** A term and where it stands. */
export interface MatchedTerm {
  readonly term: string
  readonly forms: readonly (readonly string[])[]
  readonly inPath: ReadonlyMap<string, number>
  readonly inSymbols: ReadonlyMap<string, number>
  readonly inBody: ReadonlyMap<string, number>
  /** Files that declare just this name. */
  readonly declaredIn: ReadonlySet<string>
}

function matchedTerms(tables: CodeTables, terms: readonly string[]): readonly MatchedTerm[] {
  const distinct = new Map(terms.map((term) => [splitWords(term).join(' '), term]))
  return [...distinct]
    .filter(([words]) => words !== '')
    .slice(0, TERMS_MAX)
    .flatMap(([, term]) => {
      const forms = wordForms(tables, term)
      if (forms.some((each) => each.length === 0)) return []
      const [inPath, inSymbols, inBody] = (['path', 'symbols', 'body'] as const).map((column) => tables.matches(column, forms))
      const declaredIn = new Set(isName(term) ? tables.symbolsNamed(term).map(({ file }) => file) : [])
      return inPath && inSymbols && inBody ? [{ term, forms, inPath, inSymbols, inBody, declaredIn }] : []
    })
}

/** A file that has all of the terms matters more than one that has a single one often. */
function termScores(terms: readonly MatchedTerm[], files: ReadonlySet<string>): Map<string, number> {
  const scores = new Map<string, number>()
  const rarities = new Map<string, number>()
  let rarityTotal = 0
  for (const { inPath, inSymbols, inBody, declaredIn } of terms) {
    const matched = new Set([...inPath.keys(), ...inSymbols.keys(), ...inBody.keys()])
    const rarity = Math.log(1 + files.size / matched.size)
    rarityTotal += rarity
    const bestBody = Math.max(...inBody.values(), Number.MIN_VALUE)
    for (const path of matched) {
      const place =
        (inPath.has(path) ? WEIGHTS.path : 0) +
        (declaredIn.has(path) ? WEIGHTS.wholeName : inSymbols.has(path) ? WEIGHTS.symbols : 0) +
        Math.max(inBody.get(path) ?? 0, 0) / bestBody
      scores.set(path, (scores.get(path) ?? 0) + rarity * place * fileWeight(path))
      rarities.set(path, (rarities.get(path) ?? 0) + rarity)
    }
  }
  for (const [path, score] of scores)
    scores.set(path, score * (ALONE_SHARE + ((1 - ALONE_SHARE) * (rarities.get(path) ?? 0)) / rarityTotal))
  return scores
}

/** `loginUser` and `LOGIN_PATH` are names; `login` may be just a word. */
function isName(term: string): boolean {
  return /_|\p{Ll}\p{Lu}|^\p{Lu}/u.test(term)
}

/** A hub that everything imports says little of any one of its importers. */
function neighbourhood(tables: CodeTables, cited: readonly string[]): Neighbourhood {
  const around = new Map<string, { share: number; reason: string }>()
  const add = (path: string, share: number, reason: string) => {
    if (share > (around.get(path)?.share ?? 0)) around.set(path, { share, reason })
  }
  for (const path of cited) {
    const imports = tables.edgesFrom(path)
    const importers = tables.edgesTo(path)
    for (const { to } of imports) add(to, 1 / Math.sqrt(imports.length), `imported by ${path}, which is cited`)
    for (const { from, line } of importers) {
      add(from, 1 / Math.sqrt(importers.length), `imports ${path}, which is cited (line ${line})`)
    }
  }
  return around
}
