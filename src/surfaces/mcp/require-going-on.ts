import { PawlError } from '../../core/pawl-error.ts'
import { questionInWords } from '../../present/words.ts'
import type { State } from '../../core/state.ts'

/** Refuses a run that takes no more work, with what to do instead. */
export function requireGoingOn({ run, status, message, question }: State): void {
  if (status === 'running') return
  const way = question
    ? `It asks: ${questionInWords(question.question).text} Call run_question to ask a person, or have them answer with: pawl answer ${run}`
    : 'Begin a new loop with iteration_start.'
  throw new PawlError('mcp.not-going-on', `Run ${run} is ${status}: ${message} ${way}`, { value: run })
}
