import { answerReader } from './answer-reader.ts'
import type { ReadAnswer } from './read-agent-answer.ts'

/** What a judge says of two findings in free words. */
export interface JudgeVerdict {
  /** The nomination's id. */
  readonly pair: string
  readonly verdict: 'contradiction' | 'no contradiction'
  readonly reason: string
}

/** Validates `{"verdicts": [{"pair", "verdict", "reason"}]}`. */
export function readJudgeVerdicts(value: unknown): ReadAnswer<readonly JudgeVerdict[]> {
  const reader = answerReader(TEXT_LENGTH_MAX)
  const answer = reader.list(reader.object(value, 'the answer')['verdicts'], 'verdicts', (item, place) => {
    const { pair, verdict, reason } = reader.object(item, place)
    return {
      pair: reader.text(pair, `${place}.pair`),
      verdict: reader.oneOf(verdict, `${place}.verdict`, ['contradiction', 'no contradiction'] as const),
      reason: reader.text(reason, `${place}.reason`),
    }
  })
  return reader.errors.length === 0 ? { status: 'read', answer } : { status: 'refused', errors: reader.errors }
}

const TEXT_LENGTH_MAX = 500
