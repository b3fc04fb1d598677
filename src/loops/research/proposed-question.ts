import { answerReader } from './answer-reader.ts'
import type { ReadAnswer } from './read-agent-answer.ts'
import { QUESTIONS_MAX, type QuestionKind } from './research-question.ts'

/** A question that an agent reads out of the prompt. */
export interface ProposedQuestion {
  readonly text: string
  readonly kind: QuestionKind
  readonly isCritical: boolean
}

/** Validates `{"questions": [{"text", "kind", "critical"}]}`; at least one. */
export function readProposedQuestions(value: unknown): ReadAnswer<readonly ProposedQuestion[]> {
  const reader = answerReader(TEXT_LENGTH_MAX)
  const answer = reader.list(
    reader.object(value, 'the answer')['questions'],
    'questions',
    (item, place) => {
      const { text, kind, critical } = reader.object(item, place)
      return {
        text: reader.text(text, `${place}.text`),
        kind: reader.oneOf(kind, `${place}.kind`, ['feasibility', 'architecture', 'location', 'rationale']),
        isCritical: critical !== false,
      }
    },
    { lengthMax: QUESTIONS_MAX },
  )
  if (answer.length === 0) reader.fail('questions must have at least one entry')
  return reader.errors.length === 0 ? { status: 'read', answer } : { status: 'refused', errors: reader.errors }
}

const TEXT_LENGTH_MAX = 500
