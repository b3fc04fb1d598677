import type { CodeTables } from './code-tables.ts'
import type { SearchResult } from './codebase.ts'
import { languageOf } from './languages.ts'
import { searchForms, splitWords, topicWords } from './words.ts'

/** How many declarations are looked at; those of a file count with its best one, the next two less. */
const PLACES_MAX = 1500
const PLACES_PER_FILE = 3
const NEXT_PLACES_SHARE = 0.3
/** What a word counts more if the question repeats it. */
const REPEATED_SHARE = 0.5
/** What a name that the question has as it is written adds, by its rarity; more if only tests declare it, since they count less. */
const NAME_WEIGHT = 3
const TEST_NAME_WEIGHT = 10

/**
 * Ranks files for a question: BM25F over path, declared names and text of each file, and over name, class, path, comment,
 * members and text of each declaration. SQLite's FTS5 does the counting.
 */
export function search(tables: CodeTables, question: string, names: readonly string[] = []): SearchResult {
  const topic = topicWords(question)
  // "Where is set used?" has no other words.
  const words = (topic.length > 0 ? topic : [...new Set(splitWords(question))]).slice(0, WORDS_MAX)
  const files = tables.known().filter(({ kind }) => kind !== 'binary').length
  const spoken = splitWords(question)
  const scores = new Map<string, number>()
  const matched = new Map<string, string[]>()
  const rarities = new Map<string, number>()
  for (const word of words) {
    const found = tables.filesWith(searchForms(word))
    rarities.set(word, rarity(files, found.size))
    const weight = 1 + REPEATED_SHARE * Math.max(spoken.filter((each) => each === word).length - 1, 0)
    for (const [path, score] of found) {
      scores.set(path, (scores.get(path) ?? 0) + weight * Math.max(score, 0))
      matched.set(path, [...(matched.get(path) ?? []), word])
    }
  }
  const places = Map.groupBy(
    words.length === 0 ? [] : tables.placesWith(words.flatMap(searchForms), PLACES_MAX),
    ({ file }) => file,
  )
  for (const [path, [first, ...next]] of places) {
    const share = next
      .slice(0, PLACES_PER_FILE - 1)
      .reduce((sum, { score }) => sum + score * NEXT_PLACES_SHARE, first?.score ?? 0)
    scores.set(path, (scores.get(path) ?? 0) + share)
  }
  const spelled = words
    .filter((word) => rarities.get(word) === rarity(files, 0))
    .flatMap((word) => tables.symbolsLike(word)[0]?.name ?? [])
  for (const [path, score] of nameScores(tables, [...names, ...spelled], files)) scores.set(path, (scores.get(path) ?? 0) + score)
  const hits = [...scores]
    .map(([path, score]) => ({
      path,
      score: score * fileWeight(path),
      words: matched.get(path) ?? [],
      places: (places.get(path) ?? []).slice(0, PLACES_PER_FILE),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1))
  return { hits, rarities, unknown: words.filter((word) => rarities.get(word) === rarity(files, 0)) }
}

const WORDS_MAX = 40

function rarity(files: number, count: number): number {
  return Math.log(1 + (files + 0.5) / (count + 0.5))
}

function nameScores(tables: CodeTables, names: readonly string[], files: number): ReadonlyMap<string, number> {
  const scores = new Map<string, number>()
  for (const name of names) {
    const declared = [...new Set(tables.symbolsNamed(name).map(({ file }) => file))]
    const code = declared.filter((file) => !isTestPath(file))
    const meant = code.length > 0 ? code : /^test/i.test(name) ? [] : declared
    const weight = code.length > 0 ? NAME_WEIGHT : TEST_NAME_WEIGHT
    const score = (weight * rarity(files, declared.length)) / Math.sqrt(Math.max(meant.length, 1))
    for (const file of meant) scores.set(file, (scores.get(file) ?? 0) + score)
  }
  return scores
}

const TEST =
  /(?:^|\/)(?:tests?|testing|__tests__|specs?|testdata|test-data|fixtures|e2e|t)\/|[._-](?:test|spec)\.[^/]+$|(?:^|\/)(?:test_[^/]*|conftest)\.py$|_test\.\w+$|Tests?\.(?:java|cs)$/
const ASIDE =
  /(?:^|\/)(?:examples?|docs?|docs_src|benchmarks?|bench|scripts?|tools?|demos?|_?vendor|third_party|extras?|runtime-tests)\//

/** Whether a file is a test or belongs to tests, judging by its path. */
export function isTestPath(path: string): boolean {
  return TEST.test(path)
}

/** Whether a file is neither test nor document nor example: what a question is about unless it says otherwise. */
export function isMainSource(path: string): boolean {
  return languageOf(path) !== undefined && !TEST.test(path) && !ASIDE.test(path)
}

/** How much a match counts: code most, then examples and tests, other text least. */
function fileWeight(path: string): number {
  return (isTestPath(path) ? 0.45 : 1) * (languageOf(path) === undefined ? 0.3 : 1) * (ASIDE.test(path) ? 0.5 : 1)
}
