import { z } from 'zod'
import { PawlError } from '../../../core/pawl-error.ts'
import type { State } from '../../../core/state.ts'
import { feedbackFrom } from '../../../loops/shared/feedback.ts'
import { shortened } from '../../../core/wording.ts'
import { blockedReason } from '../blocked-words.ts'
import { briefNow } from '../continue-run.ts'
import { anyMap, configOf, iterationConfig, iterationId } from '../iteration-config.ts'
import { nextIteration } from '../next-iteration.ts'
import { questionAnswer } from '../../../present/question.ts'
import { openQuestion } from '../question-view.ts'
import { withToolSession } from '../tool-session.ts'
import { tool } from '../tool.ts'

const input = z.object({
  iterationId,
  validationResult: anyMap.optional().describe('What iteration_validate said; not believed, since the server knows it.'),
  agentContext: z
    .union([z.string().max(100_000), anyMap])
    .optional()
    .describe('What you did and want to remember.'),
})

const output = z.object({
  iterationId: z.string(),
  iterationNumber: z.number(),
  remainingIterations: z.number(),
  config: iterationConfig,
  /** What the agent is asked to do, with what failed last time. */
  instructions: z.string().optional(),
  feedback: z.array(z.string()).optional(),
  /** Why there is no next iteration, and what a person can do about it. */
  error: z.string().optional(),
  blockedBy: z.string().optional(),
  blockedReason: z.string().optional(),
  checkpointId: z.string().optional(),
  question: openQuestion.optional(),
})

/** Asks the guards and begins the next iteration. */
export const iterationNext = tool({
  name: 'iteration_next',
  title: 'Begin the next iteration',
  description:
    'Ends this iteration, asks the safety guards and begins the next one. When a guard forbids it, the result has error and blockedBy, and a person has to answer (run_question). Work that was not validated is validated first.',
  input,
  output,
  call: async (args, { project, signal, by, onProgress }) =>
    withToolSession(project, { run: args.iterationId, signal }, async (session) => {
      const summary = wordsOf(args.agentContext)
      const moved = await nextIteration(session, { by, onProgress, ...(summary === undefined ? {} : { summary }) })
      const { state } = moved
      if (moved.kind === 'completed')
        throw new PawlError('mcp.completed', `Run ${state.run} is complete: ${state.message} There is nothing left to do.`)
      if (moved.kind === 'blocked')
        return {
          ...place(state),
          error: moved.error,
          blockedBy: moved.blockedBy,
          blockedReason: blockedReason(moved),
          ...(state.checkpoints.at(-1) ? { checkpointId: state.checkpoints.at(-1)?.checkpoint } : {}),
          ...(state.question ? { question: questionAnswer(state.run, state.question.question) } : {}),
        }
      const { items } = feedbackFrom(state)
      return { ...place(state), instructions: briefNow(session, state) ?? '', feedback: [...items] }
    }),
})

function place(state: State) {
  const config = configOf(state)
  const { number } = state.current
  const remainingIterations = Math.max(0, config.maxIterations - number)
  return { iterationId: state.run, iterationNumber: number, remainingIterations, config }
}

function wordsOf(context: string | Record<string, unknown> | undefined): string | undefined {
  if (context === undefined) return undefined
  return shortened(typeof context === 'string' ? context : JSON.stringify(context), 300)
}
