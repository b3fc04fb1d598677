import type { PendingAnswer, ResearchProgress, ResearchQuestion } from './progress.ts'
import { type ProposedQuestion, QUESTIONS_MAX } from './answer.ts'
import { type Finding, hasEvidence, isLive } from './finding.ts'
import type { QuestionKind, QuestionStatus, ResearchRules } from './rules.ts'

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

/**
 * How far every question is answered now. An agent's word is not enough: `answered` needs a finding that says so, still counts, has
 * verified evidence and enough confidence. Where the word or the evidence is missing, it is `partly` or `not`.
 */
export function answeredQuestions(
  { questions, findings, answers }: Pick<ResearchProgress, 'questions' | 'findings' | 'answers'>,
  rules: Pick<ResearchRules, 'answerConfidenceMin'>,
): readonly ResearchQuestion[] {
  const byQuestion = findingsByQuestion(findings)
  return questions.map((question) => {
    const linked = byQuestion.get(question.id) ?? []
    const { status: said, missing } = lastWord(question, answers, linked)
    const isProved = linked.some((finding) => hasEvidence(finding) && finding.confidence >= rules.answerConfidenceMin)
    const status = statusOf(said, linked.length > 0, isProved)
    const lacking = status === 'answered' ? undefined : (missing ?? lackOf(said, linked.length > 0, question.missing))
    const { missing: _before, said: _word, ...rest } = question
    return {
      ...rest,
      status,
      findings: linked.map(({ id }) => id).slice(0, FINDINGS_NAMED_MAX),
      ...(said === undefined ? {} : { said }),
      ...(lacking === undefined ? {} : { missing: lacking }),
    }
  })
}

const FINDINGS_NAMED_MAX = 50

function findingsByQuestion(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const byQuestion = new Map<string, Finding[]>()
  for (const finding of findings) {
    if (!isLive(finding)) continue
    for (const id of finding.answers ?? []) byQuestion.set(id, [...(byQuestion.get(id) ?? []), finding])
  }
  return byQuestion
}

/** What agents said last, in the order of their assignments; a finding that answers it is a word too, where there is no other. */
function lastWord(
  question: ResearchQuestion,
  answers: readonly PendingAnswer[],
  linked: readonly Finding[],
): { readonly status?: QuestionStatus; readonly missing?: string } {
  const word = answers
    .toSorted((one, other) => one.index - other.index)
    .flatMap(({ answer }) => answer.questions)
    .findLast(({ id }) => id === question.id)
  if (word) return word
  const status = question.said ?? (linked.length > 0 ? 'answered' : undefined)
  return status === undefined ? {} : { status }
}

function statusOf(said: QuestionStatus | undefined, hasFindings: boolean, isProved: boolean): QuestionStatus {
  if (said === 'answered' && isProved) return 'answered'
  return hasFindings || said === 'partly' ? 'partly' : 'not'
}

function lackOf(said: QuestionStatus | undefined, hasFindings: boolean, before: string | undefined): string | undefined {
  if (said === 'answered' && hasFindings) return 'evidence that could be verified'
  if (said === 'answered') return 'a finding that answers it'
  return before
}
