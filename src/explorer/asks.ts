import type { CodeIndex, ReadQuestion } from '../codebase/codebase.ts'
import { namesIn, readQuestion } from '../codebase/question.ts'
import { hasWord, topicWords } from '../codebase/words.ts'
import type { ResearchRequest } from '../loops/research/prompts.ts'
import { termsOf } from '../loops/research/terms.ts'
import type { Look } from './look.ts'

/** One thing that a question mentions: a name as written, or a word in any form. */
export interface ContentWord {
  readonly word: string
  readonly isName: boolean
  readonly isIn: (text: string) => boolean
}

/** One question with a search of its own, for its words only. */
export interface Ask {
  /** Absent for the request as a whole, and for a gap. */
  readonly question?: ResearchRequest['questions'][number]
  readonly look: Look
  readonly read: ReadQuestion
  readonly content: readonly ContentWord[]
}

/** The open questions, or all if none is open; the request as a whole if it has no questions. */
export function asksOf(look: Look): readonly Ask[] {
  const { questions, question, gaps } = look.request
  const texts = questions.map(({ text }) => (typeof text === 'string' ? text : ''))
  const reads: ReadQuestion[] = []
  for (const text of texts) reads.push(readQuestion(text, reads.at(-1)))
  const all = questions.map((each, index) => ({ question: each, read: reads[index] ?? readQuestion(question) }))
  const open = all.filter(({ question: each }) => each.status !== 'answered')
  const wanted = open.length > 0 ? open : all
  const asks = wanted.map(({ question: each, read }) => ({ ...askFor(look, read), question: each }))
  const areas = gaps.filter((gap) => gap.question === undefined && typeof gap.area === 'string' && gap.area !== question)
  if (asks.length > 0 && areas.length === 0) return asks
  return [...asks, askFor(look, readQuestion([...areas.map(({ area }) => area), question].join(' ')))]
}

function askFor(look: Look, read: ReadQuestion): Ask {
  const topic = [...read.names, ...read.literals, ...read.words].join(' ')
  const request = { ...look.request, question: read.text, terms: termsOf(topic) }
  return { look: { ...look, request, words: topicWords(topic) }, read, content: contentWords(look.index, read) }
}

/** What a question is about, word by word. A name that only looks like one (`SQLite`) is a word if nothing has it. */
function contentWords(index: CodeIndex, { names, words }: ReadQuestion): readonly ContentWord[] {
  const isDeclared = (name: string): boolean => /[_$]/.test(name) || index.declarationsOf(name).length > 0
  const spoken = names.filter((name) => !isDeclared(name)).map((name) => name.toLowerCase())
  return [
    ...names.filter(isDeclared).map((name) => ({ word: name, isName: true, isIn: nameIn(name) })),
    ...[...words, ...spoken].map((word) => ({ word, isName: false, isIn: (text: string) => hasWord(text, word) })),
  ]
}

/** Matches a name in other spellings too: `node_modules` in `removeNodeModules`. */
function nameIn(name: string): (text: string) => boolean {
  const wanted = collapse(name)
  return (text) => collapse(text).includes(wanted)
}

function collapse(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

export { namesIn }
