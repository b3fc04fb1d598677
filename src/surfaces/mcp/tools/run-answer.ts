import { z } from 'zod'
import { optionChosen } from '../../../core/evolve-answer.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { questionNone } from '../../../engine/person-facts.ts'
import { answerQuestion } from '../answer-question.ts'
import { askPerson } from '../ask-person.ts'
import { runNamed } from '../checkpoints.ts'
import { taskId } from '../iteration-config.ts'
import { tool } from '../tool.ts'

const input = z.object({
  run: taskId.describe('The loop (iterationId) or its task.'),
  choice: z.string().trim().min(1).max(200).describe('The name or number of an option.'),
  note: z.string().max(10_000).optional().describe("The person's words for the agent."),
})

/** A person's answer, handed in by their agent: confirmed by the person where the client can ask, else only where it is allowed. */
export const runAnswer = tool({
  name: 'run_answer',
  title: "Hand in the person's answer",
  description:
    "Answers a loop's question with what a person decided. The person confirms it through your client; a client that cannot ask is told the command for the person instead. Never answer for the person.",
  input,
  output: z.object({ run: z.string(), choice: z.string(), status: z.string(), message: z.string() }),
  call: async ({ run: id, choice, note }, call) => {
    const state = await runNamed(call.project, id)
    const { run, question, status } = state
    if (!question) throw questionNone(run, status)
    const option = optionChosen(question.question, choice)
    if (!option) {
      const names = question.question.options.map((each, index) => `${index + 1} (${each.choice})`).join(', ')
      throw new PawlError('question.no-such-option', `"${choice}" is not an answer to run ${run}; it takes ${names}.`)
    }
    const given = { choice: option.choice, ...(note === undefined ? {} : { note }) }
    if (!call.project.relaysAnswers) {
      const asked = askPerson(call, state, given)
      if (asked?.kind === 'ask') return asked.result
      if (asked?.kind !== 'answer') throw notAllowed(run, given.choice, asked?.kind)
      const after = await answerQuestion(call, state, asked.answer)
      return { run, choice: asked.answer.choice, status: after.status, message: after.message }
    }
    const after = await answerQuestion(call, state, given)
    return { run, choice: given.choice, status: after.status, message: after.message }
  },
})

function notAllowed(run: string, choice: string, kind: 'declined' | undefined): PawlError {
  const why = kind === 'declined' ? 'The person did not confirm it' : 'Only a person may answer, and your client cannot ask them'
  return new PawlError('mcp.person-only', `${why}. They can answer in a terminal with: pawl answer ${run} ${choice}`)
}
