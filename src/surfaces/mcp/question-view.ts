import { z } from 'zod'
import type { Question } from '../../core/question.ts'

/** A question that a person has to answer, as clients read it. */
export const openQuestion = z.object({
  text: z.string(),
  options: z.array(z.object({ number: z.number(), choice: z.string(), label: z.string(), whatFollows: z.string().optional() })),
  attempts: z.array(z.string()),
  pattern: z.string().optional(),
  /** What to do about it before answering. */
  steps: z.array(z.string()).optional(),
  /** The command that answers it in a terminal. */
  answerWith: z.string(),
})

/** The question with its numbered options. */
export function questionView(run: string, { text, options, attempts, pattern, steps }: Question): z.input<typeof openQuestion> {
  return {
    text,
    options: options.map(({ choice, label, then }, index) => ({
      number: index + 1,
      choice,
      label,
      ...(then === undefined ? {} : { whatFollows: then }),
    })),
    attempts: [...attempts],
    ...(pattern === undefined ? {} : { pattern }),
    ...(steps === undefined ? {} : { steps: [...steps] }),
    answerWith: `pawl answer ${run} NUMBER`,
  }
}
