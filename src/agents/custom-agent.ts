import type { Usage } from '../core/event-data.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { redactText } from '../secrets/filter.ts'
import { type EntriesOf, FUNCTION, LINE, needed, optional, settingsSchema, TEXT, TRUE } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import type { Agent, WorkRequest, WorkResult } from './agent.ts'

/** What a function says about its work: nothing, a summary, or more. Its usage counts towards budgets. */
export type CustomWork = string | void | (Usage & { readonly summary?: string; readonly session?: string })

export interface CustomAgentOptions {
  /** Its name in the journal and in messages. */
  readonly name: string
  /** The model it uses, for the record. */
  readonly model?: string
  /** Set if `work` returns `costUsd` or `tokens`: a crash then counts as unknown usage, not as none. */
  readonly tellsUsage?: true
  /**
   * Does the work in `request.cwd`, as `request.brief` says. Stop and return when `signal` is aborted: the run is paused, aborted, or out
   * of time. An error that it throws is a failed iteration. `progress` shows one line.
   */
  readonly work: (request: WorkRequest, context: Pick<EffectContext, 'signal' | 'progress'>) => CustomWork | Promise<CustomWork>
}

/**
 * An agent of your own: a function of your program. Only that program can resume a run that uses it.
 *
 * @example
 * const agent = customAgent({
 *   name: 'mine',
 *   work: async ({ brief, cwd }, { signal }) => {
 *     const { summary, costUsd } = await myAgent.run(brief, { cwd, signal })
 *     return { summary, costUsd }
 *   },
 * })
 */
export function customAgent(options: CustomAgentOptions): Agent {
  readOptions('customAgent', OPTIONS, options)
  const { name, model, tellsUsage, work } = options
  return {
    spec: { name: 'custom', v: 1, settings: { name, ...(model === undefined ? {} : { model }) } },
    ...(model === undefined ? {} : { model }),
    ...(tellsUsage ? { tellsUsage } : {}),
    work: (request, context) => workResult(work, request, context),
  }
}

const OPTIONS = settingsSchema({
  name: needed(LINE),
  model: optional(TEXT),
  tellsUsage: optional(TRUE),
  work: needed(FUNCTION),
} satisfies EntriesOf<CustomAgentOptions>)

async function workResult(work: CustomAgentOptions['work'], request: WorkRequest, context: EffectContext): Promise<WorkResult> {
  const { deadlineMs } = request
  const late = deadlineMs === undefined ? undefined : AbortSignal.timeout(Math.max(0, Math.ceil(deadlineMs)))
  const signal = late ? AbortSignal.any([context.signal, late]) : context.signal
  await context.started()
  let said: CustomWork = undefined
  let failure: string | undefined
  try {
    said = await work(request, { signal, progress: (line) => context.progress(line) })
  } catch (error) {
    failure = await redactText(error instanceof Error ? error.message : String(error))
  }
  const details = typeof said === 'object' ? said : {}
  if (context.signal.aborted) return { status: 'aborted', ...details }
  if (late?.aborted) return { status: 'timed-out', fault: 'agent', message: 'The time for the work is over.', ...details }
  if (failure !== undefined) return { status: 'failed', fault: 'agent', message: failure }
  return { status: 'finished', ...(typeof said === 'string' ? { summary: said } : details) }
}
