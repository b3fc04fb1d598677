import { z } from 'zod'

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
