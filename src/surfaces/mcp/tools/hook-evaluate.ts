import { promisesOf } from '../../../loops/shared/promises.ts'
import { z } from 'zod'
import type { State } from '../../../core/state.ts'
import { blockedLine, blockedWords } from '../blocked-words.ts'
import { createCheckpoint } from '../checkpoints.ts'
import { settlePending } from '../continue-run.ts'
import { iterationId } from '../iteration-config.ts'
import { outsideSettings } from '../outside-agent.ts'
import { type ToolSession, withToolSession } from '../tool-session.ts'
import { type Call, tool } from '../tool.ts'
import { type CompletionSignal, validateWork } from '../validate-work.ts'
import { validationOutput, validationView } from './iteration-validate.ts'

const input = z.object({
  iterationId,
  agentOutput: z.string().max(1_000_000).optional().describe('What you said last.'),
  filesModified: z.array(z.string().max(1000)).max(1000).optional().describe('Only remembered: the server sees what changed.'),
  draftContent: z.string().max(10_000_000).optional().describe('Unfinished text, kept in a checkpoint.'),
  draftType: z.string().max(100).optional(),
})

const output = z.object({
  iterationId: z.string(),
  action: z.enum(['complete', 'continue', 'escalate']),
  reason: z.string(),
  /** What to do to go on. */
  nextPrompt: z.string().optional(),
  checkpointId: z.string().optional(),
  validation: validationOutput.optional(),
})

/** Says whether an agent that wants to stop may. */
export const hookEvaluate = tool({
  name: 'hook_evaluate',
  title: 'May the agent stop?',
  description:
    'Judges whether the agent may stop: complete (it is done), continue (work on: call iteration_next) or escalate (stop, a person has to answer). Runs the validation rules.',
  input,
  output,
  call: async (args, call) =>
    withToolSession(call.project, { run: args.iterationId, signal: call.signal }, async (session) => {
      await settlePending(session)
      const checkpoint = await draftKept(session, args)
      const kept = checkpoint === undefined ? {} : { checkpointId: checkpoint }
      const before = session.state()
      if (before.status !== 'running') return { iterationId: session.run, ...standing(before), ...kept }
      const validation = await judged(session, args.agentOutput, call)
      const { completionSignal, feedback } = validation
      const reason =
        session.state().status === 'running' ? (feedback[0] ?? 'No promise was made.') : standing(session.state()).reason
      const nextPrompt = `Not done yet. ${feedback.join('\n')}\nCall iteration_next, mend it and validate again.`
      const action = ACTIONS[completionSignal]
      return { iterationId: session.run, action, reason, ...(action === 'continue' ? { nextPrompt } : {}), ...kept, validation }
    }),
})

const ACTIONS: Readonly<Record<CompletionSignal, 'complete' | 'continue' | 'escalate'>> = {
  COMPLETE: 'complete',
  CONTINUE: 'continue',
  BLOCKED: 'escalate',
  ESCALATE: 'escalate',
}

/** With a `validation` hook passing rules are enough: the hook makes the promise in the agent's place. */
async function judged(
  session: ToolSession,
  agentOutput: string | undefined,
  { by, onProgress }: Call,
): Promise<z.input<typeof validationOutput>> {
  const words = agentOutput === undefined ? {} : { agentOutput }
  const done = await validateWork(session, { by, onProgress, ...words })
  const state = session.state()
  const [promise] = promisesOf(state) ?? []
  const isEnough = outsideSettings(state)?.hooks.some(({ hookType }) => hookType === 'validation') ?? false
  const isPromised = done.claim !== undefined || promise === undefined
  if (!isEnough || !done.passed || isPromised || state.status !== 'running') return validationView(session.run, done)
  return validationView(session.run, await validateWork(session, { by: { role: 'runner', name: 'hook' }, claim: { promise } }))
}

function standing(state: State): { readonly action: 'complete' | 'escalate'; readonly reason: string } {
  const { status, message, question } = state
  const reason = question ? blockedLine(blockedWords(state)) : message
  return { action: status === 'completed' ? 'complete' : 'escalate', reason }
}

async function draftKept(
  session: ToolSession,
  { draftContent, draftType, filesModified }: z.output<typeof input>,
): Promise<string | undefined> {
  if (draftContent === undefined) return undefined
  const context = JSON.stringify({ draftType, filesModified: filesModified?.slice(0, 100) })
  const { data } = await createCheckpoint(session, { trigger: 'auto', context, draftContent })
  return data.checkpoint
}
