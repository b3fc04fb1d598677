import { z } from 'zod'
import type { JsonObject } from '../../../core/json.ts'
import type { State } from '../../../core/state.ts'
import { runNamed } from '../checkpoints.ts'
import { anyMap, taskId } from '../iteration-config.ts'
import { outsideSettings, outsideSpec, type StopHook } from '../outside-agent.ts'
import { requireGoingOn } from '../continue-run.ts'
import { type ToolSession, withToolSession } from '../tool-session.ts'
import { tool } from '../tool.ts'

const hookView = z.object({
  hookId: z.string(),
  hookType: z.enum(['default', 'validation', 'promise']),
  metadata: anyMap.optional(),
})

const metadata = anyMap
  .refine((value) => JSON.stringify(value).length <= 10_000, 'must be at most 10,000 characters as JSON')
  .optional()

/** Registers a stop hook on the loop of a task. */
export const hookRegister = tool({
  name: 'hook_register',
  title: 'Register a stop hook',
  description:
    'Says how hook_evaluate judges when the agent wants to stop: default and promise need a completion promise that holds, validation is content when every rule passes.',
  input: z.object({ taskId, hookType: z.enum(['default', 'validation', 'promise']), metadata }),
  output: z.object({ iterationId: z.string(), taskId: z.string(), hook: hookView }),
  call: async (args, { project, signal }) => {
    const { run } = await runNamed(project, args.taskId)
    return withToolSession(project, { run, signal }, async (session) => {
      const hooks = hooksOf(session)
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
  input: z.object({ taskId }),
  output: z.object({ iterationId: z.string(), taskId: z.string(), hooks: z.array(hookView) }),
  call: async (args, { project }) => {
    const state = await runNamed(project, args.taskId)
    return { iterationId: state.run, taskId: args.taskId, hooks: [...hooksIn(state)] }
  },
})

/** Takes the stop hooks of a task's loop away. */
export const hookClear = tool({
  name: 'hook_clear',
  title: 'Clear stop hooks',
  description: 'Takes all stop hooks of a task away.',
  input: z.object({ taskId }),
  output: z.object({ iterationId: z.string(), taskId: z.string(), cleared: z.number() }),
  call: async (args, { project, signal }) => {
    const { run } = await runNamed(project, args.taskId)
    return withToolSession(project, { run, signal }, async (session) => {
      const hooks = hooksOf(session)
      if (hooks.length > 0) await reconfigure(session, [], 'The stop hooks were cleared.')
      return { iterationId: run, taskId: args.taskId, cleared: hooks.length }
    })
  },
})

function hooksOf(session: ToolSession): readonly StopHook[] {
  return hooksIn(session.state())
}

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
