import { inputRequired, type InputRequiredResult, inputResponse } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { optionChosen } from '../../core/evolve-answer.ts'
import type { State } from '../../core/state.ts'
import type { Answer } from '../../engine/parts.ts'
import { questionText } from '../../present/question.ts'
import type { Call } from './tool.ts'

/** What became of asking a person through their client; `undefined` where it cannot ask. */
export type PersonReply =
  | { readonly kind: 'ask'; readonly result: InputRequiredResult }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'declined' }

/**
 * Asks the open question through the client, or reads the answer when the call comes back with it. An answer to a question that was
 * settled meanwhile is not taken for the next: its key names the question.
 */
export function askPerson(
  { canElicit, inputResponses }: Call,
  { run, question }: State,
  proposed?: Answer,
): PersonReply | undefined {
  if (!question) return undefined
  const key = `answer-${question.seq}`
  const said = inputResponse(inputResponses, key)
  if (said.kind === 'elicit') {
    const answer = said.action === 'accept' ? answerIn(said.content, question.question.options.length) : undefined
    const isOption = answer !== undefined && optionChosen(question.question, answer.choice) !== undefined
    return isOption ? { kind: 'answer', answer } : { kind: 'declined' }
  }
  if (!canElicit) return undefined
  const { options } = question.question
  const message = questionText(run, question.question, proposed)
  const requestedSchema = z.object({
    choice: z.enum(options.map(({ choice }) => choice) as [string, ...string[]]).describe('What should happen'),
    note: z.string().max(2000).optional().describe('What the agent should know'),
  })
  return { kind: 'ask', result: inputRequired({ inputRequests: { [key]: inputRequired.elicit({ message, requestedSchema }) } }) }
}

/** What came through a client is not believed before it is looked at. */
function answerIn(content: Record<string, unknown> | undefined, optionsCount: number): Answer | undefined {
  const { choice, note } = content ?? {}
  if (typeof choice !== 'string' || optionsCount === 0) return undefined
  const words = typeof note === 'string' ? note.trim().slice(0, 2000) : ''
  return { choice, ...(words === '' ? {} : { note: words }) }
}
