import {
  ANY_MAP,
  fittingKind,
  listOf,
  listUpTo,
  NUMBER,
  oneOf,
  optional,
  type OutputOf,
  settingsSchema,
  textUpTo,
  WORDS,
} from '../../schema/kinds.ts'
import type { JsonObject } from '../../core/json.ts'
import type { State } from '../../core/state.ts'
import { createCheckpoint, runNamed } from './checkpoints.ts'
import { type Call, ITERATION_ID, type ResultOf, TASK_ID, tool } from './tool.ts'
import { outsideSettings, outsideSpec, type StopHook } from './outside-agent.ts'
import { requireGoingOn, settlePending } from './continue-run.ts'
import { type ToolSession, withToolSession } from './tool-session.ts'
import { promisesOf } from '../../loops/shared/promises.ts'
import { blockedLine, blockedWords, type CompletionSignal, validateWork } from './validate-work.ts'
import { VALIDATION, validationView } from './iteration-tools.ts'

const HOOK_TYPE = oneOf(['default', 'validation', 'promise'])

const HOOK = settingsSchema({ hookId: WORDS, hookType: HOOK_TYPE, metadata: optional(ANY_MAP) })

const METADATA = fittingKind(
  'a map of at most 10,000 characters as JSON',
  ANY_MAP,
  (value) => JSON.stringify(value).length <= 10_000,
)

/** Registers a stop hook on the loop of a task. */
export const hookRegister = tool({
  name: 'hook_register',
  title: 'Register a stop hook',
  description:
    'Says how hook_evaluate judges when the agent wants to stop: default and promise need a completion promise that holds, validation is content when every rule passes.',
  input: settingsSchema({ taskId: TASK_ID, hookType: HOOK_TYPE, metadata: optional(METADATA) }),
  output: settingsSchema({ iterationId: WORDS, taskId: WORDS, hook: HOOK }),
  call: async (args, { project, signal }) => {
    const { run } = await runNamed(project, args.taskId)
    return withToolSession(project, { run, signal }, async (session) => {
      const hooks = hooksIn(session.state())
      const number = Math.max(0, ...hooks.map(({ hookId }) => Number(hookId.split('-').at(-1)))) + 1
      const given = args.metadata === undefined ? {} : { metadata: args.metadata as JsonObject }
      const hook: StopHook = { hookId: `hook-${number}`, hookType: args.hookType, ...given }
      await reconfigure(session, [...hooks, hook].slice(-HOOKS_MAX), `Stop hook ${hook.hookId} was registered.`)
      return { iterationId: run, taskId: args.taskId, hook }
    })
  },
})

const HOOKS_MAX = 20

/** The stop hooks of a task's loop. */
export const hookList = tool({
  name: 'hook_list',
  title: 'List stop hooks',
  description: 'Lists the stop hooks of a task. Without one, hook_evaluate judges as default does.',
  isReadOnly: true,
  input: settingsSchema({ taskId: TASK_ID }),
  output: settingsSchema({ iterationId: WORDS, taskId: WORDS, hooks: listOf('a list of hooks', HOOK) }),
  call: async (args, { project }) => {
    const state = await runNamed(project, args.taskId)
    return { iterationId: state.run, taskId: args.taskId, hooks: hooksIn(state) }
  },
})

/** Takes the stop hooks of a task's loop away. */
export const hookClear = tool({
  name: 'hook_clear',
  title: 'Clear stop hooks',
  description: 'Takes all stop hooks of a task away.',
  input: settingsSchema({ taskId: TASK_ID }),
  output: settingsSchema({ iterationId: WORDS, taskId: WORDS, cleared: NUMBER }),
  call: async (args, { project, signal }) => {
    const { run } = await runNamed(project, args.taskId)
    return withToolSession(project, { run, signal }, async (session) => {
      const hooks = hooksIn(session.state())
      if (hooks.length > 0) await reconfigure(session, [], 'The stop hooks were cleared.')
      return { iterationId: run, taskId: args.taskId, cleared: hooks.length }
    })
  },
})

/** Those of a loop that is over ask nobody any more: it is as if they were cleared. */
function hooksIn(state: State): readonly StopHook[] {
  const isOver = state.status === 'completed' || state.status === 'aborted'
  return isOver ? [] : (outsideSettings(state)?.hooks ?? [])
}

/** How the agent is kept going is configuration, and configuration is a fact. */
async function reconfigure(session: ToolSession, hooks: readonly StopHook[], message: string): Promise<void> {
  const state = session.state()
  requireGoingOn(state)
  const settings = outsideSettings(state)
  if (!settings) return
  const config = { ...state.config, agent: outsideSpec({ ...settings, hooks }) }
  const at = session.parts.clock.now()
  await session.take([{ type: 'run.reconfigured', at, by: { role: 'runner' }, data: { config, message } }], { hold: true })
}

const EVALUATE_INPUT = settingsSchema({
  iterationId: ITERATION_ID,
  agentOutput: optional(textUpTo(1_000_000), 'What you said last.'),
  filesModified: optional(
    listUpTo(1000, 'a list of at most 1000 paths', textUpTo(1000)),
    'Only remembered: the server sees what changed.',
  ),
  draftContent: optional(textUpTo(10_000_000), 'Unfinished text, kept in a checkpoint.'),
  draftType: optional(textUpTo(100)),
})

const EVALUATE_OUTPUT = settingsSchema({
  iterationId: WORDS,
  action: oneOf(['complete', 'continue', 'escalate']),
  reason: WORDS,
  /** What to do to continue. */
  nextPrompt: optional(WORDS),
  checkpointId: optional(WORDS),
  validation: optional(VALIDATION),
})

/** Says whether an agent that wants to stop may. */
export const hookEvaluate = tool({
  name: 'hook_evaluate',
  title: 'May the agent stop?',
  description:
    'Judges whether the agent may stop: complete (it is done), continue (work on: call iteration_next) or escalate (stop, a person has to answer). Runs the validation rules.',
  input: EVALUATE_INPUT,
  output: EVALUATE_OUTPUT,
  call: async (args, call) =>
    withToolSession(call.project, { run: args.iterationId, signal: call.signal }, async (session) => {
      await settlePending(session)
      const checkpointId = await draftKept(session, args)
      const before = session.state()
      if (before.status !== 'running') return { iterationId: session.run, ...standing(before), checkpointId }
      const validation = await validationResult(session, args.agentOutput, call)
      const { completionSignal, feedback } = validation
      const reason =
        session.state().status === 'running' ? (feedback[0] ?? 'No promise was made.') : standing(session.state()).reason
      const nextPrompt = `Not done yet. ${feedback.join('\n')}\nCall iteration_next, fix it and validate again.`
      const action = ACTIONS[completionSignal]
      return {
        iterationId: session.run,
        action,
        reason,
        nextPrompt: action === 'continue' ? nextPrompt : undefined,
        checkpointId,
        validation,
      }
    }),
})

const ACTIONS: Readonly<Record<CompletionSignal, 'complete' | 'continue' | 'escalate'>> = {
  COMPLETE: 'complete',
  CONTINUE: 'continue',
  BLOCKED: 'escalate',
  ESCALATE: 'escalate',
}

/** With a `validation` hook passing rules are enough: the hook makes the promise in the agent's place. */
async function validationResult(
  session: ToolSession,
  agentOutput: string | undefined,
  { by, onProgress }: Call,
): Promise<ResultOf<typeof VALIDATION>> {
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
  { draftContent, draftType, filesModified }: OutputOf<typeof EVALUATE_INPUT>,
): Promise<string | undefined> {
  if (draftContent === undefined) return undefined
  const context = JSON.stringify({ draftType, filesModified: filesModified?.slice(0, 100) })
  const { data } = await createCheckpoint(session, { trigger: 'auto', context, draftContent })
  return data.checkpoint
}
