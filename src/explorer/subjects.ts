import { askedNames, significantWords, termsOf } from '../loops/research/terms.ts'
import type { CodeIndex, Declaration } from '../codebase/codebase.ts'
import { type Look, wordsOf } from './look.ts'
import type { ResearchRequest } from '../loops/research/prompts.ts'

const SUBJECTS_MAX = 6
/** Names below this share of the best score are about something else. */
const SCORE_SHARE_MIN = 0.5
const DECLARATIONS_PER_TERM_MAX = 400
/** How much a word in the path counts, relative to one in the name. */
const PATH_SHARE = 0.6
/** The factor for a name whose words are adjacent in the question. */
const PHRASE_WORTH = 2

/** The declared names that a text is about, closest first. */
export function subjectsOf({ index }: Look, text: string, terms: readonly string[]): readonly Declaration[] {
  const wanted = new Set([...termsOf(text), ...terms].flatMap((term) => significantWords(term)))
  const named = new Set(namesIn(text))
  const candidates = new Map<string, Declaration>()
  for (const name of named) for (const each of index.declarationsOf(name)) candidates.set(keyOf(each), each)
  for (const word of wanted) {
    for (const each of index.declarationsWith(word).slice(0, DECLARATIONS_PER_TERM_MAX)) candidates.set(keyOf(each), each)
  }
  const phrase = ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `
  const rarity = rarities(index, wanted)
  const forms = [...wanted].map((word) => [word, ...index.formsOf(word)])
  // If the question has a literal text, a name with only some of its words is something else.
  const literals = literalsIn(text).map((literal) => significantWords(literal))
  const isMeant = ({ name }: Declaration): boolean =>
    literals.length === 0 || literals.some((literal) => literal.every((word) => significantWords(name).includes(word)))
  const scored = [...candidates.values()].filter(isMeant).map((declaration) => {
    const words = significantWords(declaration.name)
    const matched = words.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0)
    const hasExactName = named.has(declaration.name)
    // `parse` in `cookies.ts` is about cookies too.
    const around = significantWords(declaration.file.replace(/\.\w+$/, '')).filter((word) => !words.includes(word))
    const placed = matched === 0 ? 0 : PATH_SHARE * around.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0)
    const covered = forms.filter((each) => each.some((form) => words.includes(form) || around.includes(form))).length
    // A name that covers the whole question comes before one that covers a single word.
    const share = (matched / Math.max(words.length, 1) ** 0.5 + placed) * (covered / Math.max(wanted.size, 1)) ** 0.5
    // "The retry handler" is `RetryHandler`.
    const isPhrase = words.length > 1 && phrase.includes(` ${words.join(' ')} `)
    return {
      declaration,
      score:
        ((hasExactName ? 100 : 0) + share * (isPhrase ? PHRASE_WORTH : 1)) *
        KIND_WEIGHTS[declaration.kind] *
        (index.isTest(declaration.file) ? 0.3 : 1),
    }
  })
  const best = scored.toSorted((one, other) => other.score - one.score || order(one.declaration, other.declaration))
  const least = (best[0]?.score ?? 0) * SCORE_SHARE_MIN
  return distinctNames(best.filter(({ score }) => score > 0 && score >= least).map(({ declaration }) => declaration)).slice(
    0,
    SUBJECTS_MAX,
  )
}

/** Texts in a question that can't be names, such as `Content-Length` or quoted text. They are searched for literally. */
export function literalsIn(text: string): readonly string[] {
  const headers = text.match(/(?<![\p{L}\p{N}_-])\p{Lu}[\p{L}\p{N}]*(?:-\p{Lu}[\p{L}\p{N}]*)+/gu) ?? []
  const quoted = [...text.matchAll(/["“`]([^"”`\n]{3,80})["”`]/g)].map((match) => match[1] ?? '')
  return [...new Set([...headers, ...quoted.filter((each) => /[\s/:.-]/.test(each))])]
}

/** Names in backticks, and words that only a programmer writes. */
export function namesIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`([^`\n]{2,100})`/g)]
    .map((match) => match[1] ?? '')
    .flatMap((each) => each.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])
  const written = (text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).filter((word) => /_|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word))
  return [...new Set([...quoted, ...written, ...askedNames(text)])]
}

const KIND_WEIGHTS: Readonly<Record<Declaration['kind'], number>> = {
  function: 1,
  class: 1,
  type: 0.8,
  method: 0.8,
  module: 0.7,
  constant: 0.6,
  variable: 0.5,
}

/** What each form of a wanted word is worth: a word in many names says little. */
function rarities(index: Look['index'], words: ReadonlySet<string>): ReadonlyMap<string, number> {
  return new Map(
    [...words].flatMap((word) => {
      const worth = 1 / Math.log2(2 + index.declarationsWith(word).length)
      return [...index.formsOf(word).map((form): [string, number] => [form, worth * FORM_SHARE]), [word, worth] as const]
    }),
  )
}

/** Another form of a word counts a little less than the word itself. */
const FORM_SHARE = 0.9

function keyOf({ file, line, name }: Declaration): string {
  return `${file}:${line}:${name}`
}

function order(one: Declaration, other: Declaration): number {
  return keyOf(one) < keyOf(other) ? -1 : 1
}

function distinctNames(declarations: readonly Declaration[]): readonly Declaration[] {
  const seen = new Set<string>()
  return declarations.filter(({ name }) => !seen.has(name) && seen.add(name))
}

/** One thing that a question mentions: a name as written, or a word in all forms that occur in the codebase. */
export interface ContentWord {
  readonly word: string
  readonly isName: boolean
  readonly isIn: (text: string) => boolean
}

/** What a question is about, word by word, without the words that only ask for a place or a use. */
function contentWords(index: CodeIndex, text: string): readonly ContentWord[] {
  const names = namesIn(text)
  const rest = names.reduce((shorter, name) => shorter.replaceAll(name, ' '), text)
  const words = significantWords(rest).filter((word) => !ASKING.has(word))
  return [
    ...names.map((name) => ({ word: name, isName: true, isIn: nameIn(name) })),
    ...words.map((word) => ({ word, isName: false, isIn: wordIn(index, word) })),
  ]
}

/**
 * Whether a declaration is the thing: the question contains its exact name, or its name has everything the question is about.
 */
export function isNamed(content: readonly ContentWord[], name: string): boolean {
  return (
    content.length > 0 && (content.some((word) => word.isName && word.word === name) || content.every((word) => word.isIn(name)))
  )
}

/** Words that say what is asked about the thing, not which thing it is. */
const ASKING: ReadonlySet<string> = new Set(
  (
    'import imports imported depend depends depending call calling configured stored specified placed ' +
    'performed occur occurs live come comes take takes place reason reasons currently actually exactly'
  ).split(' '),
)

/** Matches a name in other spellings too: `node_modules` in `removeNodeModules`. */
function nameIn(name: string): (text: string) => boolean {
  const wanted = collapse(name)
  return (text) => collapse(text).includes(wanted)
}

function wordIn(index: CodeIndex, word: string): (text: string) => boolean {
  const forms = new Set([word, ...index.formsOf(word)])
  return (text) => significantWords(text).some((each) => forms.has(each))
}

function collapse(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

/** One question with a search of its own, for its words only. */
export interface Ask {
  /** Absent for the request as a whole, and for a gap. */
  readonly question?: ResearchRequest['questions'][number]
  readonly look: Look
  readonly content: readonly ContentWord[]
}

/** The open questions, or all if none is open; the request as a whole if it has no questions. */
export function asksOf(look: Look): readonly Ask[] {
  const { questions, question, gaps } = look.request
  const texts = subjectTexts(questions.map(({ text }) => (typeof text === 'string' ? text : '')))
  const all = questions.map((each, index) => ({ question: each, text: texts[index] ?? question }))
  const open = all.filter(({ question: each }) => each.status !== 'answered')
  const wanted = open.length > 0 ? open : all
  const asks = wanted.map(({ question: each, text }) => ({ ...askFor(look, text), question: each }))
  const areas = gaps.filter((gap) => gap.question === undefined && typeof gap.area === 'string' && gap.area !== question)
  if (asks.length > 0 && areas.length === 0) return asks
  return [...asks, askFor(look, [...areas.map(({ area }) => area), question].join(' '))]
}

function askFor(look: Look, subject: string): Ask {
  const question = withWholeWords(look, subject)
  const terms = termsOf(question)
  const words = wordsOf(look.index, [...terms, ...termsOf(subject)])
  return { look: { ...look, request: { ...look.request, question, terms }, words }, content: contentWords(look.index, subject) }
}

/** What each question is about: "what uses it?" continues the question before. */
function subjectTexts(questions: readonly string[]): readonly string[] {
  const texts: string[] = []
  for (const [index, question] of questions.entries()) {
    const before = texts[index - 1]
    const own = question.replaceAll(EMPTY_IT, ' ')
    const isAlone = significantWords(own).length === 0
    if (before === undefined || !(isAlone || PRONOUN.test(own))) texts.push(question)
    // With a verb of its own ("where are they validated?"), the previous question's verb isn't meant.
    else texts.push(`${isAlone ? before : withoutVerbs(before)} ${question}`)
  }
  return texts
}

/** An "it" that refers to nothing. */
const EMPTY_IT = /\b(?:is|was|would) it (?:be )?(?:possible|feasible)\b/gi
const PRONOUN = /\b(?:it|its|they|them|their)\b/i

function withoutVerbs(text: string): string {
  const kept = text.replaceAll(/\b\p{Ll}{3,}(?:ed|ing)\b/gu, ' ')
  return significantWords(kept).length > 0 ? kept : text
}

/** `SQLite` would be split into pieces that aren't words. If nothing has that name, search for it as one word. */
function withWholeWords({ index }: Look, text: string): string {
  return namesIn(text)
    .filter((name) => !/[_$]/.test(name) && index.declarationsOf(name).length === 0)
    .filter((name) => significantWords(name).join('').length < name.length)
    .reduce((changed, name) => changed.replaceAll(name, name.toLowerCase()), text)
}
