import { type Finding, hasEvidence, isLive } from './finding.ts'
import type { PendingAnswer, ResearchProgress } from './research-progress.ts'
import type { QuestionStatus, ResearchQuestion } from './research-question.ts'
import type { ResearchRules } from './research-rules.ts'

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
