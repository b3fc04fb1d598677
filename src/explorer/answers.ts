import type { Declaration, LiteralPlace, Thing } from '../codebase/codebase.ts'
import { asksForCalls, PLACES_MEANT_MAX } from '../codebase/question.ts'
import { hasWord, isSameWord, splitWords } from '../codebase/words.ts'
import type { AnswerFinding } from '../loops/research/answer.ts'
import type { Ask } from './asks.ts'
import { declarationFinding, importFindings, useFindings } from './code-findings.ts'
import { joinNames, type Look } from './look.ts'

/** What the code says to a question. If it isn't answered, the findings are the best places to look, best first. */
export interface Answer {
  readonly findings: readonly AnswerFinding[]
  readonly isAnswered: boolean
}

const NOTHING: Answer = { findings: [], isAnswered: false }

/**
 * Answers what an index can: where a name is declared, what uses it, where a text is written, what a file imports. Anything else
 * gets its best places to look.
 */
export async function answerFrom(ask: Ask): Promise<Answer> {
  const answer = await directAnswer(ask)
  if (answer.isAnswered) return answer
  // Next to a ranking by the whole question, what its names alone give comes last; a quoted text that is there comes first.
  const places = await likelyPlaces(ask)
  const isWritten = ask.read.literals.length > 0 && answer.findings.some(({ evidence }) => evidence === 'direct')
  return { findings: isWritten ? [...answer.findings, ...places] : [...places, ...answer.findings], isAnswered: false }
}

async function directAnswer(ask: Ask): Promise<Answer> {
  const { look, read } = ask
  if (read.asks === 'imports' || read.asks === 'importers') {
    const file = look.index.fileIn(read.text) ?? only(look.index.thingsIn(read).flatMap(({ declarations }) => declarations))?.file
    if (file !== undefined) return answered(await importFindings(look, file, read.asks))
  }
  if (read.asks === 'uses' || read.asks === 'importers') return usesAnswer(ask)
  if (read.asks === 'place') return placeAnswer(ask)
  return { ...(await declaredAnswer(ask)), isAnswered: false }
}

function answered(findings: readonly AnswerFinding[]): Answer {
  return { findings, isAnswered: findings.length > 0 }
}

function only(declarations: readonly Declaration[]): Declaration | undefined {
  return new Set(declarations.map(({ file }) => file)).size === 1 ? declarations[0] : undefined
}

async function usesAnswer(ask: Ask): Promise<Answer> {
  const { look, read } = ask
  const things = look.index.thingsIn(read)
  const names = things.length > 0 ? things.map(({ name }) => name) : read.names
  if (names.length > NAMES_MAX) return NOTHING
  const findings: AnswerFinding[] = []
  for (const name of names) findings.push(...(await useFindings(look, name, asksForCalls(read))))
  const isMeant = findings.some(({ category }) => category === 'usage') && isExplained(ask, things)
  return { findings, isAnswered: isMeant }
}

const NAMES_MAX = 3

async function placeAnswer(ask: Ask): Promise<Answer> {
  const { look, read } = ask
  if (read.literals.length > 0) return literalAnswer(look, read.literals, isBrief(ask))
  if (read.names.length > 0 && look.index.thingsIn(read).length === 0) return writtenAnswer(ask)
  return declaredAnswer(ask)
}

/** Where the things that a question names or describes are declared. */
async function declaredAnswer(ask: Ask): Promise<Answer> {
  const { look, read } = ask
  const things = look.index.thingsIn(read)
  const findings: AnswerFinding[] = []
  for (const { declarations } of things) {
    const places = firstOfEachFile(declarations.toSorted((one, other) => hasBody(other) - hasBody(one))).toSorted(
      (one, other) => hasBody(other) - hasBody(one) || importance(look, other.file) - importance(look, one.file),
    )
    for (const place of places.slice(0, DECLARATIONS_MAX)) findings.push(...(await declarationFinding(look, place)))
    if (places.length > DECLARATIONS_MAX) {
      const reason = `\`${declarations[0]?.name}\` is declared in ${places.length} files, of which ${DECLARATIONS_MAX} are reported.`
      look.uncertainties.push({ area: read.text, reason })
    }
  }
  const files = new Set(things.flatMap(({ declarations }) => declarations.map(({ file }) => file)))
  const isMeant = read.names.length === things.length || read.names.length === 0
  return { findings, isAnswered: isMeant && files.size > 0 && files.size <= PLACES_MEANT_MAX && isExplained(ask, things) }
}

const DECLARATIONS_MAX = 6

/** A name that nothing declares may be a key or a variable of the environment, written as text. */
async function writtenAnswer({ look, read }: Ask): Promise<Answer> {
  const names = read.names.filter((name) => CONSTANT.test(name) || (WRITING.test(read.text) && SPELLED.test(name)))
  return names.length < read.names.length || names.length === 0 ? NOTHING : literalAnswer(look, names, isBrief({ read }))
}

const CONSTANT = /^[A-Z][A-Z\d_]{2,}$/
const SPELLED = /_|\p{Ll}\p{Lu}/u
/** What happens to a key, and not to a thing that may be declared in a library. */
const WRITING = /\b(?:set|read|written|raised|thrown|emitted|sent|registered|checked|parsed)\b/i

async function literalAnswer(look: Look, literals: readonly string[], isBriefQuestion: boolean): Promise<Answer> {
  const findings: AnswerFinding[] = []
  let isMeant = isBriefQuestion
  for (const literal of literals) {
    const places = look.index.writtenIn(literal)
    const source = firstOfEachFile(places.filter(({ isSource, isWhole }) => isSource && isWhole))
    const code = source.filter(({ file }) => look.index.languageOf(file) !== undefined)
    const meant = code.length > 0 ? code : source
    isMeant &&= meant.length > 0 && meant.length <= PLACES_MEANT_MAX
    const finding = await literalFinding(look, literal, meant.length > 0 ? source : firstOfEachFile(places))
    if (finding) findings.push(finding)
    else look.uncertainties.push({ area: literal, reason: `"${literal}" is written in none of ${look.index.filesTotal} files.` })
  }
  return { findings, isAnswered: isMeant && findings.length === literals.length }
}

async function literalFinding(look: Look, literal: string, places: readonly LiteralPlace[]): Promise<AnswerFinding | undefined> {
  const citations = await look.citeAll(places)
  if (citations.length === 0) return undefined
  const files = joinNames([...new Set(citations.map(({ file }) => file))])
  const isWhole = places.every((place) => place.isWhole)
  return {
    description: isWhole ? `"${literal}" is in ${files}.` : `A place to look: a part of "${literal}" is in ${files}.`,
    impact: isWhole ? 'critical' : 'important',
    category: 'location',
    evidence: isWhole ? 'direct' : 'inferred',
    citations,
    ...(isWhole ? { claims: [{ subject: literal, attribute: 'is written', value: 'yes' }] } : {}),
  }
}

/** Every word of the question is one of the thing, its class or its file, or only says what kind of thing it is. */
function isExplained({ read }: Ask, things: readonly Thing[]): boolean {
  const around = things
    .flatMap(({ name, declarations }) => [name, ...declarations.map(({ parent, file }) => `${parent} ${file}`)])
    .join(' ')
  return read.words.flatMap((word) => word.split(' ')).every((word) => KINDS.has(word) || hasWord(around, word))
}

/** Besides a quoted text, a question has only words such as "message" and "come from". */
function isBrief({ read }: Pick<Ask, 'read'>): boolean {
  return read.words.filter((word) => !KINDS.has(word)).length <= 2
}

const KINDS: ReadonlySet<string> = new Set(
  (
    'variable constant type interface struct trait enum decorator macro field property attribute object option setting helper exception error ' +
    'symbol name source message text string warning log output printed raised thrown emitted written logged read set key environment value exactly ' +
    'command line flag argument parameter header rejection panic warning notice registered checked parsed sent route path endpoint'
  ).split(' '),
)

/** A header or a file of types only announces what another file has. */
function hasBody({ file, line, lineEnd }: Declaration): number {
  return HEADER.test(file) ? 0 : lineEnd > line ? 2 : 1
}

const HEADER = /\.(?:h|hh|hpp|hxx)$|\.d\.[cm]?ts$/

/** Files that many others import come first: a thing and what only wraps it often have one name. */
function importance({ index }: Look, file: string): number {
  return index.importersOf(file).filter(({ from }) => !index.isTest(from)).length
}

function firstOfEachFile<Place extends { readonly file: string }>(places: readonly Place[]): readonly Place[] {
  return [...Map.groupBy(places, ({ file }) => file).values()].flatMap(([first]) => first ?? [])
}

const LIKELY_MAX = 8
/** A file with a smaller share of the question's words, the rare ones counting more, is about something else. */
const ABOUT_SHARE_MIN = 0.35

/** The places that the whole question matches best. If none has enough of its words, nothing is about it. */
export async function likelyPlaces({ look, read }: Ask): Promise<readonly AnswerFinding[]> {
  const { hits, rarities, unknown } = look.index.search(
    [read.text, ...(read.text.includes(read.words[0] ?? '') ? [] : read.words)].join(' '),
  )
  const total = [...rarities.values()].reduce((sum, each) => sum + each, 0)
  const shareOf = (words: readonly string[]): number =>
    words.reduce((sum, word) => sum + (rarities.get(word) ?? 0), 0) / Math.max(total, 1e-9)
  const about = hits.slice(0, LIKELY_MAX)
  for (const word of unknown) {
    look.uncertainties.push({ area: word, reason: `Nothing in ${look.index.filesTotal} files has \`${word}\` in it.` })
  }
  if (about.every(({ words }) => shareOf(words) < ABOUT_SHARE_MIN)) {
    const words = [...rarities.keys()].map((word) => `\`${word}\``)
    const reason = `Nothing in ${look.index.filesTotal} files is about it: no file has most of its words (${joinNames(words)}).`
    look.uncertainties.push({ area: read.text, reason })
    return []
  }
  const findings: AnswerFinding[] = []
  for (const { path, words, places } of about) {
    const named = namedIn(look, path, [...rarities.keys()])
    if (named.length > 0) {
      for (const declaration of named) findings.push(...(await declarationFinding(look, declaration)))
      continue
    }
    const [first] = places
    const line = first?.line ?? (await bestLine(look, path, words))
    const citations = await look.citeAll([
      { file: path, line },
      ...places.slice(1).map((place) => ({ file: path, line: place.line })),
    ])
    if (citations.length === 0) continue
    const thing = first
      ? `\`${[...first.parent.split(' '), first.name].filter((each) => each !== '').join('.')}\` in ${path}`
      : path
    findings.push({
      description: `A place to look: ${thing} has ${joinNames(words.map((word) => `\`${word}\``))}.`,
      impact: 'important',
      category: 'location',
      evidence: 'inferred',
      citations,
    })
  }
  return findings
}

/** Declarations whose names are made of the question's words: "the retry handler" is `RetryHandler`. */
function namedIn({ index }: Look, file: string, words: readonly string[]): readonly Declaration[] {
  const named = index.declarationsIn(file).filter(({ name }) => {
    const own = splitWords(name)
    return own.length > 1 && own.every((each) => words.some((word) => isSameWord(each, word)))
  })
  return named.toSorted((one, other) => splitWords(other.name).length - splitWords(one.name).length).slice(0, NAMED_MAX)
}

const NAMED_MAX = 2

/** The line of a file with the most of the words. */
async function bestLine(look: Look, file: string, words: readonly string[]): Promise<number> {
  const lines = await look.lines(file)
  const counts = lines.map((text) => {
    const own = splitWords(text)
    return words.filter((word) => own.some((each) => isSameWord(each, word))).length
  })
  return counts.indexOf(Math.max(...counts)) + 1
}
