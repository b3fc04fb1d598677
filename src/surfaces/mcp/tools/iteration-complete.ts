import { z } from 'zod'
import { BLOCKED, claimIn, promisesOf } from '../../../loops/shared/promises.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { checkpointFact } from '../checkpoint-fact.ts'
import { settlePending } from '../continue-run.ts'
import { iterationId } from '../iteration-config.ts'
import { type ToolSession, withToolSession } from '../tool-session.ts'
import { type Call, tool } from '../tool.ts'
import { validateWork } from '../validate-work.ts'
import { validationOutput, validationView } from './iteration-validate.ts'

const input = z.object({
  iterationId,
  completionPromise: z.string().trim().min(1).max(1000).describe('One of the promises declared at the start.'),
  workProductId: z.string().trim().min(1).max(500).optional().describe('What you made, by a name of your own.'),
})

const output = z.object({
  iterationId: z.string(),
  completed: z.boolean(),
  message: z.string(),
  completionPromise: z.string(),
  workProductId: z.string().optional(),
  /** What the rules said, where it was not complete already. */
  validation: validationOutput.optional(),
})

/** Says that the work is done; believed only when every rule passes on the files as they are. */
export const iterationComplete = tool({
  name: 'iteration_complete',
  title: 'Say that the task is done',
  description:
    'Claims a completion promise. It is accepted only when every validation rule passes on the files as they are now; otherwise completed is false and the loop goes on.',
  input,
  output,
  call: async (args, call) =>
    withToolSession(call.project, { run: args.iterationId, signal: call.signal }, async (session) => {
      await settlePending(session)
      const said = {
        iterationId: session.run,
        completionPromise: args.completionPromise,
        ...(args.workProductId === undefined ? {} : { workProductId: args.workProductId }),
      }
      if (session.state().status === 'completed') return { ...said, completed: true, message: session.state().message }
      const validation = await claimed(session, args.completionPromise, call)
      const state = session.state()
      const completed = state.status === 'completed'
      if (completed && args.workProductId !== undefined) await keepProduct(session, args.workProductId)
      return { ...said, completed, message: completed ? state.message : refusal(validation), validation }
    }),
})

type Validation = z.input<typeof validationOutput>

async function claimed(session: ToolSession, promise: string, { by, onProgress }: Call): Promise<Validation> {
  const declared = promisesOf(session.state()) ?? []
  const claim = claimIn(promise, declared) ?? claimIn(`<promise>${promise}</promise>`, declared)
  if (!claim) {
    const known = declared.map((word) => `<promise>${word}</promise>`).join(', ')
    throw new PawlError('mcp.promise', `"${promise}" was not declared at the start; there is ${known}.`, { value: promise })
  }
  return validationView(session.run, await validateWork(session, { by, onProgress, claim }))
}

function refusal({ completionSignal, feedback, detectedPromise }: Validation): string {
  if (detectedPromise === `<promise>${BLOCKED}</promise>`) return 'Blocked: a person has to answer; call run_question.'
  const [, first = ''] = feedback
  const way =
    completionSignal === 'ESCALATE'
      ? 'A person has to answer: call run_question.'
      : 'Mend it, then call iteration_complete again.'
  return ['Not accepted', `(${completionSignal}).`, first, way].filter((part) => part !== '').join(' ')
}

async function keepProduct(session: ToolSession, workProductId: string): Promise<void> {
  const state = session.state()
  const kept = state.tree ?? { tree: '', snapshot: '' }
  const context = JSON.stringify({ workProductId })
  await session.take([checkpointFact(state, session.parts.clock.now(), { ...kept, trigger: 'auto', context })])
}
