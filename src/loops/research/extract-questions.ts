import type { ProposedQuestion } from './proposed-question.ts'
import { QUESTIONS_MAX, type QuestionKind } from './research-question.ts'

/**
 * The questions in a prompt, by rules: every sentence or part of one that asks whether it is possible, how, where or what, or why. A prompt
 * that asks nothing in these words is one question about how things work. All are critical.
 */
export function extractQuestions(prompt: string): readonly ProposedQuestion[] {
  const found = parts(prompt).flatMap((text): ProposedQuestion[] => {
    const kind = kindOf(text)
    return kind === undefined ? [] : [{ text, kind, isCritical: true }]
  })
  const different = found.filter(({ text }, index) => found.findIndex((each) => each.text === text) === index)
  if (different.length > 0) return different.slice(0, QUESTIONS_MAX)
  return [{ text: prompt.trim(), kind: 'architecture', isCritical: true }]
}

/** Sentences, and the parts of a sentence that begin a question of their own after an "and" or a comma. */
function parts(prompt: string): readonly string[] {
  return prompt
    .split(/(?<=[.?!])\s+|\n+|;\s+/)
    .flatMap((sentence) => sentence.split(/,?\s+(?:and|or)\s+(?=(?:how|what|where|why|which|who|is it|is there|can|could)\b)/i))
    .flatMap((part) => part.split(ASKS_ALREADY.test(part) ? /,\s+(?=(?:how|what|where|why|who)\b)/i : COMMA_QUESTION))
    .map((text) => text.trim().replace(/^(?:[-*•]|\d+[.)])\s*/, ''))
    .filter((text) => text !== '')
}

/** In a sentence that asks already, "…, where tokens end up" asks again; elsewhere a comma and "where" may only tell more. */
const ASKS_ALREADY = /^\W*(?:how|what|where|why|which|who|is|are|does|do|can|could|explain|describe|tell me)\b/i
const COMMA_QUESTION = /,\s+(?=(?:how|what|where|why)\s+(?:is|are|do|does|did|can|uses?|calls?|imports?|happens)\b)/i

/** The first that fits; a question that only has its mark, or begins like one, is about how things work. */
function kindOf(text: string): QuestionKind | undefined {
  const found = KINDS.find(([, pattern]) => pattern.test(text))
  if (found) return found[0]
  return text.endsWith('?') || /^(?:how|what|who)\b/i.test(text) ? 'architecture' : undefined
}

const KINDS: readonly (readonly [QuestionKind, RegExp])[] = [
  [
    'feasibility',
    /\b(?:is it possible|would it be possible|is there a way|feasib\w*|can (?:we|i|you|it|one)|could (?:we|i|you|it|one))\b/i,
  ],
  ['rationale', /\b(?:why|what is the reason|for what reason)\b/i],
  [
    'location',
    /\b(?:where|what handles|who handles|what (?:uses|calls|imports|depends|implements)|who (?:uses|calls)|which (?:file|files|module|component|class|function|part|code)\w*|locate)\b/i,
  ],
  ['architecture', /\b(?:how (?:does|do|is|are|can|it|the|to|\w+)|what (?:is|are|does|happens)|architecture|data flow)\b/i],
]
