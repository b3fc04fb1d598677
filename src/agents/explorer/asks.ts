import type { ResearchRequest } from '../../loops/research/research-request.ts'
import { significantWords, termsOf } from '../../loops/research/terms.ts'
import { type ContentWord, contentWords } from './content-words.ts'
import type { Look } from './look.ts'
import { wordsOf } from './look.ts'
import { namesIn } from './subjects.ts'

/** One question, with a look of its own: what is searched for are its words and no other question's. */
export interface Ask {
  /** Not there when the whole request is looked at, and for what a gap is about. */
  readonly question?: ResearchRequest['questions'][number]
  readonly look: Look
  readonly content: readonly ContentWord[]
}

/** The questions that are open, each for itself; all of them when none is; the request as a whole where it has no questions. */
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

/** What each question is about: "what uses it?" is about what the question before is about. */
function subjectTexts(questions: readonly string[]): readonly string[] {
  const texts: string[] = []
  for (const [index, question] of questions.entries()) {
    const before = texts[index - 1]
    const own = question.replaceAll(EMPTY_IT, ' ')
    const isAlone = significantWords(own).length === 0
    if (before === undefined || !(isAlone || PRONOUN.test(own))) texts.push(question)
    // With a verb of its own ("where are they validated?") the verb of the question before is not meant.
    else texts.push(`${isAlone ? before : withoutVerbs(before)} ${question}`)
  }
  return texts
}

/** An "it" that stands for nothing. */
const EMPTY_IT = /\b(?:is|was|would) it (?:be )?(?:possible|feasible)\b/gi
const PRONOUN = /\b(?:it|its|they|them|their)\b/i

function withoutVerbs(text: string): string {
  const kept = text.replaceAll(/\b\p{Ll}{3,}(?:ed|ing)\b/gu, ' ')
  return significantWords(kept).length > 0 ? kept : text
}

/** `SQLite` falls apart into pieces that are no words; where nothing is declared under that name it is searched for as one word. */
function withWholeWords({ index }: Look, text: string): string {
  return namesIn(text)
    .filter((name) => !/[_$]/.test(name) && index.declarationsOf(name).length === 0)
    .filter((name) => significantWords(name).join('').length < name.length)
    .reduce((changed, name) => changed.replaceAll(name, name.toLowerCase()), text)
}
