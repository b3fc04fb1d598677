import type { EstimateRequest, RelevantFile } from './codebase.ts'
import type { CodeTables } from './code-tables.ts'
import { splitWords, withSpacedNames, wordForms } from './words.ts'
import { linesOf } from './verify-citations.ts'
import { languageOf } from './languages.ts'

/** How much a match counts by where it is. In the body, the file where the word stands out most gets 1, others less. */
const WEIGHTS = { path: 1.5, symbols: 2, wholeName: 3 }
/**
 * The maximum for a neighbour of a cited file, as a share of the best score, divided by the root of the number of neighbours.
 */
const NEIGHBOUR_SHARE = 0.6
/** Files below this share of the best score are left out. */
const SCORE_SHARE_MIN = 0.15
/** The share of its score that a file keeps if it matches hardly any of the terms. */
const ALONE_SHARE = 0.3
const TERMS_MAX = 30

/** A file's text for the reasons; `undefined` if it can't be read. */
export type TextOf = (path: string) => string | undefined

/**
 * The files that match the terms, and the neighbours of the cited ones. A rarer term counts more. A cited file scores as high
 * as the best match.
 */
export function estimateFiles(tables: CodeTables, request: EstimateRequest, textOf: TextOf): readonly RelevantFile[] {
  const files = new Set(tables.known().flatMap(({ path, kind }) => (kind === 'binary' ? [] : [path])))
  const terms = matchTerms(tables, request.terms)
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

/** A term and the files that match it. */
export interface MatchedTerm {
  readonly term: string
  readonly forms: readonly (readonly string[])[]
  readonly inPath: ReadonlyMap<string, number>
  readonly inSymbols: ReadonlyMap<string, number>
  readonly inBody: ReadonlyMap<string, number>
  /** Files that declare exactly this name. */
  readonly declaredIn: ReadonlySet<string>
}

function matchTerms(tables: CodeTables, terms: readonly string[]): readonly MatchedTerm[] {
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

/** A file with all of the terms scores higher than one with a single term many times. */
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

/** The share falls with the number of neighbours: a hub that everything imports says little about any one importer. */
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

/** Neighbours of cited files: how close, and the reason to show. */
export type Neighbourhood = ReadonlyMap<string, { readonly share: number; readonly reason: string }>

const NAMES_MAX = 3

/** Why a file probably matters, strongest reason first. */
function reasonsFor(
  tables: CodeTables,
  path: string,
  terms: readonly MatchedTerm[],
  { cited, around, textOf }: { readonly cited: readonly string[]; readonly around: Neighbourhood; readonly textOf: TextOf },
): readonly string[] {
  const near = around.get(path)
  const matched = terms.filter(({ inBody }) => inBody.has(path))
  const text = matched.length > 0 ? (textOf(path) ?? '') : ''
  return [
    ...(cited.includes(path) ? ['cited by a finding'] : []),
    ...declarationReasons(tables, path, terms),
    ...terms.filter(({ inPath }) => inPath.has(path)).map(({ term }) => `path contains \`${term}\``),
    ...(near ? [near.reason] : []),
    ...matched.flatMap((term) => mentionReason(term, text)),
  ]
}

function declarationReasons(tables: CodeTables, path: string, terms: readonly MatchedTerm[]): readonly string[] {
  const wanted = terms.filter(({ inSymbols, declaredIn }) => inSymbols.has(path) || declaredIn.has(path))
  if (wanted.length === 0) return []
  const names = new Map<string, number>()
  for (const { name, line } of tables.symbolsIn(path)) {
    const words = new Set(splitWords(name))
    const isWanted = wanted.some(({ forms }) => forms.every((group) => group.some((form) => words.has(form))))
    if (isWanted && !names.has(name)) names.set(name, line)
  }
  // An exact match comes first.
  const isAsked = (name: string): boolean => wanted.some(({ term }) => term.toLowerCase() === name.toLowerCase())
  const shown = [...names]
    .toSorted(([one], [other]) => Number(isAsked(other)) - Number(isAsked(one)))
    .slice(0, NAMES_MAX)
    .map(([name, line]) => `declares \`${name}\` (line ${line})`)
  return names.size > NAMES_MAX ? [...shown, `declares ${names.size - NAMES_MAX} more such names`] : shown
}

function mentionReason({ term, forms }: MatchedTerm, text: string): readonly string[] {
  const patterns = forms.map((group) => new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${group.join('|')})(?![\p{L}\p{N}])`, 'iu'))
  const lines = linesOf(withSpacedNames(text)).flatMap((line, index) =>
    patterns.every((pattern) => pattern.test(line)) ? [index + 1] : [],
  )
  if (lines.length === 0) return [`mentions \`${term}\``]
  return [`mentions \`${term}\` in ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}, first in line ${lines[0]}`]
}

const TEST =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|testdata|fixtures|e2e)\/|[._-](?:test|spec)\.[^/]+$|(?:^|\/)test_[^/]*\.py$|Tests?\.(?:java|cs)$/

/** Whether a file is a test or belongs to tests, judging by its path. */
export function isTestPath(path: string): boolean {
  return TEST.test(path)
}

/** How much a match counts: code most, tests less, other text least. */
function fileWeight(path: string): number {
  if (languageOf(path) === undefined) return 0.5
  return isTestPath(path) ? 0.7 : 1
}
