import type { CodeTables } from './code-tables.ts'
import type { AskedFor, ReadQuestion, ScoredPlace, Thing } from './codebase.ts'
import { languageOf } from './languages.ts'
import { isTestPath } from './search.ts'
import { isSameWord, nameForms, splitWords, topicWords } from './words.ts'

const FORMS: readonly (readonly [AskedFor, RegExp])[] = [
  ['other', /\bwhy\b|\bwhat is the reason\b|\bis it possible\b|\bcan (?:we|i|you)\b|\bcould (?:we|i|you)\b/i],
  ['whole', /\b(?:across|throughout|entire|whole|everywhere|overall|every (?:file|place|module))\b/i],
  [
    'imports',
    /\bwhat does\b.*\b(?:import|include|depend on)\b|\bimports of\b|\b(?:what|which \w+) (?:is|are) imported (?:by|in)\b|\bdependencies of\b/i,
  ],
  ['importers', /\b(?:what|who|which \w+) (?:imports?|includes?|depends? on)\b/i],
  [
    'uses',
    /\b(?:what|who|which \w+|where) (?:else )?(?:calls?|uses?|invokes?|references?)\b|\bcallers? of\b|\busages? of\b|\b(?:is|are|gets?) (?:\S+ ){0,4}(?:called|used|invoked|referenced)\b/i,
  ],
  ['place', /\b(?:where|locate|what handles|who handles|which (?:file|files|module|class|function|component|part|code)\w*)\b/i],
  ['path', /\bhow\b|\barchitecture\b|\bflow\b/i],
]

/** Reads a question by its words. "What uses it?" takes what it is about from the question before. */
export function readQuestion(text: string, before?: ReadQuestion): ReadQuestion {
  const asks = FORMS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'
  const literals = literalsIn(text)
  const rest = literals.reduce((shorter, literal) => shorter.replaceAll(literal, ' '), text)
  const owners = ownersIn(rest)
  const owning = new Set(Object.values(owners))
  const named = namesIn(rest)
  const names = named.filter((name) => !owning.has(name) || owners[name] !== undefined)
  const spoken = [...named, ...owning].reduce((shorter, name) => shorter.replaceAll(name, ' '), rest)
  const words = topicWords(spoken)
  const isNamed = names.length + literals.length > 0
  const read = { text, asks, names, literals, words, ...(Object.keys(owners).length > 0 ? { owners } : {}) }
  if (!before || isNamed || !(words.length === 0 || PRONOUN.test(spoken))) return read
  // With a verb of its own ("where are they validated?"), the verb of the question before isn't meant.
  const kept = words.length === 0 ? before.words : [...before.words.filter((word) => !/(?:ed|ing)$/.test(word)), ...words]
  const told = words.length === 0 ? { names: before.names, ...(before.owners ? { owners: before.owners } : {}) } : { names: [] }
  return { text, asks, ...told, literals: before.literals, words: kept }
}

/** `Session.merge`, `Router::nest`, `Array#map`: the name, and the class or module before it. */
function ownersIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(QUALIFIED)].flatMap(([whole, owner = '', name = '']) =>
      languageOf(whole) === undefined && !DATA_FILE.test(whole) ? [[name, owner]] : [],
    ),
  )
}

const QUALIFIED =
  /(?<![\p{L}\p{N}_$/.-])(?:[\p{L}_$][\p{L}\p{N}_$]*(?:\.|::))*([\p{L}_$][\p{L}\p{N}_$]+)(?:\.|::|#|->)([\p{L}_$][\p{L}\p{N}_$]+)(?![\p{L}\p{N}_$/.-]*\/)/gu
const DATA_FILE = /\.(?:json|ya?ml|toml|ini|cfg|conf|md|rst|txt|html?|css|scss|sql|sh|lock|xml|env|proto|graphql)$/i

/** Whether a question wants calls: there an import is no answer. */
export function asksForCalls({ asks, text }: Pick<ReadQuestion, 'asks' | 'text'>): boolean {
  return asks === 'uses' && /\b(?:calls?|called|callers?|invokes?|invoked)\b/i.test(text)
}

const PRONOUN = /\b(?:it|its|they|them|their)\b/i

/** Texts in a question that can't be names: quoted text of several words or with punctuation, and headers. */
function literalsIn(text: string): readonly string[] {
  const keys = [...text.matchAll(KEY)].map((match) => match[1] ?? '')
  const headers = text.match(/(?<![\p{L}\p{N}_-])\p{Lu}[\p{L}\p{N}]*(?:-\p{Lu}[\p{L}\p{N}]*)+/gu) ?? []
  const quoted = [...text.matchAll(/["“]([^"”\n]{2,200})["”]|`([^`\n]{2,200})`|(?<!\w)'([^'\n]{3,200})'(?!\w)/g)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter(
      (each) =>
        /[\p{L}\p{N}]/u.test(each) && !/^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#|->)[\p{L}\p{N}_$]+)*(?:\(\))?$/u.test(each),
    )
  const unquoted = [...headers, ...keys].filter((each) => !quoted.some((other) => other.includes(each)))
  return [...new Set([...quoted, ...unquoted])]
}

/** What only a program writes: `--flag`, `/users/:id`, and after its kind `header x-request-id` or `setting cache.ttl`. */
const KEY =
  /(?<![^\s(])(--[\p{L}\p{N}][\p{L}\p{N}_-]*|\/[\p{L}\p{N}_{}<>:*-]+(?:\/[\p{L}\p{N}_{}<>:*-]+)*|(?<=\b(?:header|option|flag|key|setting|event|attribute|argument|parameter|command)s?\s)[\p{L}\p{N}]+(?:[-.:/][\p{L}\p{N}]+)+)/gu

/** Names in quotes, words that only a programmer writes, and words in the place of a name: "Where is add declared?". */
export function namesIn(text: string): readonly string[] {
  const quoted = [
    ...text.matchAll(/[`"“']([\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#|->)[\p{L}\p{N}_$]+)*)(?:\(\))?[`"”']/gu),
  ].flatMap((match) => match[1]?.split(/\.|::|#|->/) ?? [])
  const written = (text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).filter((word) =>
    /_|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}\p{N}+\p{L}|^\p{Lu}{3,}$/u.test(word),
  )
  const placed = [
    /(?:\b(?:is|of|function|method|class|struct|type|interface|trait|enum|constant|variable)\s+)([\p{L}_$][\p{L}\p{N}_$]*)(?=\s+(?:declared|defined|implemented|located|called|used)\b)/giu,
    /\b(?:function|method|class|struct|type|interface|trait|enum|constant|variable)\s+([\p{L}_$][\p{L}\p{N}_$]*)(?=\s*[?.]?\s*$)/giu,
    /\b(?:the|a)\s+(\p{Lu}[\p{L}\p{N}]+)\s+(?:class|function|method|struct|type|interface|trait|enum)\b/gu,
    /\b(?:calls?|uses?|invokes?)\s+([\p{L}_$][\p{L}\p{N}_$]*)(?=\s*(?:\(\))?[?.]?\s*$)/giu,
  ].flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))
  const qualified = Object.entries(ownersIn(text)).flat()
  return [...new Set([...quoted, ...written, ...qualified, ...placed.filter((name) => !NOUNS.has(name.toLowerCase()))])].filter(
    (name) => name.length > 1,
  )
}

const NOUNS: ReadonlySet<string> = new Set(
  (
    'it this that them they the a an and or is are code function class method module file there here these those ' +
    'declared defined implemented located called used found imported read set written thrown raised returned checked parsed registered handled created loaded stored validated sent'
  ).split(' '),
)

/** More files than this with a fitting declaration are no answer: the question could mean any of them. */
export const PLACES_MEANT_MAX = 3

/** What a question is about, if the code declares it under that name, or under one that has all of its words. */
export function thingsIn(tables: CodeTables, question: ReadQuestion): readonly Thing[] {
  const named = question.names.flatMap((name) => thingsNamed(tables, name, question.owners?.[name]))
  if (question.names.length > 0) return named
  const described = describedPlaces(tables, question.words)
  const files = new Set(described.map(({ file }) => file))
  if (files.size === 0 || files.size > PLACES_MEANT_MAX) return []
  return [...Map.groupBy(described, ({ name }) => name)].flatMap(([name, places]) => thing(name, places))
}

function thing(name: string, declarations: readonly ScoredPlace[]): readonly Thing[] {
  const code = declarations.filter(({ file }) => !isTestPath(file))
  return declarations.length === 0 ? [] : [{ name, declarations: code.length > 0 ? code : declarations }]
}

/** A name in another case is the same thing, but `PAGER` is no function `pager`. */
function thingsNamed(tables: CodeTables, name: string, owner?: string): readonly Thing[] {
  const exact = tables.placesOf(name, { isExact: true })
  const found = exact.length > 0 || CAPITALS.test(name) ? exact : tables.placesOf(name, { isExact: false })
  const fitting = owner === undefined ? found : found.filter((place) => isOwnedBy(place, owner))
  return [...Map.groupBy(fitting, (place) => place.name)].flatMap(([each, places]) => thing(each, places))
}

const CAPITALS = /^[A-Z][A-Z\d_]+$/

/** In this class, or in the module of this name. */
function isOwnedBy({ parent, file }: ScoredPlace, owner: string): boolean {
  const wanted = owner.toLowerCase()
  const steps = file
    .toLowerCase()
    .replace(/\.\w+$/, '')
    .split('/')
  return parent.toLowerCase().split(' ').includes(wanted) || steps.slice(-2).includes(wanted)
}

const CANDIDATES_MAX = 2000

/**
 * Declarations whose name has all the words, in some form; if there is none, those that have them with the names of their class,
 * file and folder, and all but a third of them in their own. Of several, those with the fewest other words.
 */
function describedPlaces(tables: CodeTables, words: readonly string[]): readonly ScoredPlace[] {
  const single = words.flatMap((word) => word.split(' '))
  if (single.length === 0 || single.length > DESCRIBED_WORDS_MAX) return []
  const candidates = tables
    .placesNamed(
      single.map((word) => nameForms(word)),
      CANDIDATES_MAX,
    )
    .filter(({ file }) => !isTestPath(file))
    .map((place) => ({ place, ...fitOf(place, single) }))
    .filter(
      ({ isWhole, inName, extra }) =>
        isWhole && inName >= single.length - Math.max(1, Math.floor(single.length / 3)) && extra <= single.length + 1,
    )
  const inName = candidates.filter((each) => each.inName === single.length)
  const fitting = inName.length > 0 ? inName : candidates
  const least = Math.min(...fitting.map(({ extra }) => extra))
  return fitting.filter(({ extra }) => extra === least).map(({ place }) => place)
}

const DESCRIBED_WORDS_MAX = 6

function fitOf(
  { name, parent, file }: ScoredPlace,
  words: readonly string[],
): { isWhole: boolean; inName: number; extra: number } {
  const own = splitWords(name)
  const around = [
    ...own,
    ...splitWords(parent),
    ...splitWords(
      file
        .split('/')
        .slice(-2)
        .join(' ')
        .replace(/\.\w+$/, ''),
    ),
  ]
  return {
    isWhole: words.every((word) => includesForm(around, word)),
    inName: words.filter((word) => includesForm(own, word)).length,
    extra: own.filter((each) => !words.some((word) => isSameWord(each, word))).length,
  }
}

function includesForm(words: readonly string[], wanted: string): boolean {
  return words.some((word) => isSameWord(word, wanted))
}
