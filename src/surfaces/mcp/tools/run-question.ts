import { z } from 'zod'
import { askPerson } from '../ask-person.ts'
import { runNamed } from '../checkpoints.ts'
import { taskId } from '../iteration-config.ts'
import { questionAnswer } from '../../../present/question.ts'
import { openQuestion } from '../question-view.ts'
import { answerQuestion } from '../answer-question.ts'
import { tool } from '../tool.ts'

const output = z.object({
  run: z.string(),
  status: z.string(),
  message: z.string(),
  question: openQuestion.optional(),
  /** Whether a person answered just now, and what. */
  answered: z.boolean(),
  choice: z.string().optional(),
})

/** The open question of a run; asked of the person where the client can. */
export const runQuestion = tool({
  name: 'run_question',
  title: 'Ask the person',
  description:
    'Shows what a loop asks and asks the person through your client where it can. Otherwise tell the person the question and the command that answers it; then call iteration_next.',
  input: z.object({
    run: taskId.describe('The loop (iterationId) or its task.'),
    ask: z.boolean().default(true).describe('Whether to ask the person now, where the client can.'),
  }),
  output,
  call: async (args, call) => {
    const state = await runNamed(call.project, args.run)
    const { run, status, message, question } = state
    if (!question) return { run, status, message, answered: false }
    const shown = { run, status, message, question: questionAnswer(run, question.question) }
    const asked = args.ask ? askPerson(call, state) : undefined
    if (asked?.kind === 'ask') return asked.result
    if (asked?.kind !== 'answer') return { ...shown, answered: false }
    const after = await answerQuestion(call, state, asked.answer)
    return { run, status: after.status, message: after.message, answered: true, choice: asked.answer.choice }
  },
})
