import { z } from 'zod'
import { BLOCKED, promisesOf } from '../../../loops/shared/promises.ts'
import { blockedLine } from '../blocked-words.ts'
import { iterationId } from '../iteration-config.ts'
import { feedbackLines } from '../rule-results.ts'
import { withToolSession } from '../tool-session.ts'
import { tool } from '../tool.ts'
import { type Validation, validateWork } from '../validate-work.ts'

const agentOutput = z
  .string()
  .max(1_000_000)
  .optional()
  .describe('What you said last, with your promise in it when you are done, or <promise>BLOCKED: why</promise>.')

/** What the rules said of one iteration. */
export const validationOutput = z.object({
  iterationId: z.string(),
  iterationNumber: z.number(),
  validationPassed: z.boolean(),
  completionSignal: z.enum(['CONTINUE', 'COMPLETE', 'BLOCKED', 'ESCALATE']),
  detectedPromise: z.string().optional(),
  feedback: z.array(z.string()),
  results: z.array(z.object({ ruleName: z.string(), passed: z.boolean(), message: z.string() })),
})

/** Runs the validation rules on the agent's work. */
export const iterationValidate = tool({
  name: 'iteration_validate',
  title: 'Check the work of this iteration',
  description:
    'Runs every validation rule on the files as they are and says what follows: CONTINUE (call iteration_next), COMPLETE (done), BLOCKED or ESCALATE (a person has to answer, feedback says why: run_question). Changed work that is validated again without iteration_next counts as the next iteration.',
  input: z.object({ iterationId, agentOutput }),
  output: validationOutput,
  call: async (args, { project, signal, by, onProgress }) =>
    withToolSession(project, { run: args.iterationId, signal }, async (session) => {
      const words = args.agentOutput === undefined ? {} : { agentOutput: args.agentOutput }
      return validationView(session.run, await validateWork(session, { by, onProgress, ...words }))
    }),
})

/** The answer of `iteration_validate`. */
export function validationView(run: string, done: Validation): z.input<typeof validationOutput> {
  const { iterationNumber, passed, signal, claim, results, checked, blocked } = done
  const isRefuted = claim !== undefined && claim.promise !== BLOCKED && signal !== 'COMPLETE'
  const refuted = isRefuted && results.length > 0 ? [refutedLine(claim.promise, passed)] : []
  const lines = feedbackLines(checked)
  // A problem is the first line of the feedback already.
  const asked = blocked && !checked.current.problem ? [blockedLine(blocked)] : []
  const unclaimed = passed && !claim && signal === 'CONTINUE' ? [unclaimedLine(promisesOf(checked) ?? [])] : []
  return {
    iterationId: run,
    iterationNumber,
    validationPassed: passed,
    completionSignal: signal,
    ...(claim ? { detectedPromise: `<promise>${claim.promise}</promise>` } : {}),
    feedback: [...refuted, ...asked, ...unclaimed, ...lines, ...(checked.current.problem ? [CORRECTING] : [])],
    results: [...results],
  }
}

function refutedLine(promise: string, passed: boolean): string {
  return `You said ${promise}, but it does not hold: ${passed ? 'it is not accepted yet' : 'the rules do not pass'}.`
}

/** A rule that has never run may simply be written wrong. */
const CORRECTING = 'If the rule itself is wrong, call iteration_start again with the same taskId and that rule corrected.'

function unclaimedLine(promises: readonly string[]): string {
  const words = promises.map((promise) => `<promise>${promise}</promise>`).join(' or ')
  return `Every rule passes. When the task is done, call iteration_complete with ${words}.`
}
