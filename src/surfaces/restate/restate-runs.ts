import {
  handlers,
  object,
  type ObjectContext,
  type ObjectSharedContext,
  type RestatePromise,
  serde,
  TerminalError,
  TimeoutError,
} from '@restatedev/restate-sdk'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DriveResult } from '../../engine/drive.ts'
import type { Answer, DriveOptions } from '../../engine/parts.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { address, type EntriesOf, FUNCTION, MILLISECONDS, needed, optional, settingsSchema, SIGNAL } from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'

/** The name of the virtual object in Restate: its key is the name of a run. */
export const RUNS = 'pawl-run'

/** What Restate drives: a loop of `createLoop`, or a run that the command line started. */
export interface DrivenRun {
  run(run: string, options: DriveOptions): Promise<DriveResult>
  answer(run: string, answer: Answer): Promise<void>
}

/** How Restate drives runs. */
export interface RestateRunsOptions {
  /** The loop that a run belongs to. */
  readonly loopOf: (run: string) => DrivenRun | Promise<DrivenRun>
  /** Where Restate takes calls, to tell it that an iteration is over. Default `http://127.0.0.1:8080`. */
  readonly ingressUrl?: string
  /**
   * How long to wait for news of an iteration, or for an answer, before looking again. A process that died tells nothing, and
   * `pawl answer` writes to the journal alone. Default 30 s.
   */
  readonly lookEveryMs?: number
  /** Aborting it pauses the runs at work here. Restate continues them with the next process that serves them. */
  readonly signal?: AbortSignal
}

/** What may be given for each of them. */
export const RUNS_OPTIONS = settingsSchema({
  loopOf: needed(FUNCTION),
  ingressUrl: optional(address('an address such as http://127.0.0.1:8080')),
  lookEveryMs: optional(MILLISECONDS),
  signal: optional(SIGNAL),
} satisfies EntriesOf<RestateRunsOptions>)

/** What came of an iteration: where the run is now, or why it could not be driven. */
type Reached = Pick<DriveResult, 'status'> & { readonly message: string; readonly until?: number }

const LOOK_EVERY_MS = 30_000
const INGRESS_URL = 'http://127.0.0.1:8080'

/**
 * Runs as virtual objects of Restate. `drive` performs one iteration and sends itself on, so an invocation stays short. The agent works
 * outside it, in this process: the claim on the run and the keys of its effects make a second start harmless. Questions are awakeables,
 * waits are timers. Pawl's journal stays the truth.
 *
 * @example
 * const runs = restateRuns({ loopOf: () => createLoop(options) })
 * await restate.serve({ services: [runs], port: 9080 })
 */
export function restateRuns(options: RestateRunsOptions) {
  readOptions('restateRuns', RUNS_OPTIONS, options)
  const { lookEveryMs = LOOK_EVERY_MS } = options
  const outside = iterationsOutside(options)
  /** Begins the iteration outside and waits for its end. `undefined` if there is no news yet. */
  const iterate = async (ctx: ObjectContext): Promise<Reached | undefined> => {
    const { id, promise } = ctx.awakeable<Reached>()
    await ctx.run('begin an iteration', () => outside.begin(ctx.key, id))
    return within(promise, lookEveryMs)
  }

  /** Waits for an answer by way of Restate; one in the journal alone is seen at the next look. */
  const awaitAnswer = async (ctx: ObjectContext): Promise<void> => {
    const { id, promise } = ctx.awakeable()
    ctx.set('question', id)
    await within(promise, lookEveryMs * LOOKS_PER_QUESTION)
    ctx.clear('question')
  }

  return object({
    name: RUNS,
    handlers: {
      /** Drives the run until it ends. A run that is over, or that somebody else drives, is left alone. */
      drive: async (ctx: ObjectContext): Promise<string> => {
        const reached = await iterate(ctx)
        if (!reached) return sentOn(ctx, 'working', 0)
        const { status, message, until } = reached
        if (status === 'running') return sentOn(ctx, status, 0)
        if (status === 'held') return sentOn(ctx, status, lookEveryMs)
        if (status === 'waiting') return sentOn(ctx, status, Math.max(0, (until ?? 0) - (await ctx.date.now())))
        if (status === 'escalated' || status === 'stopped') {
          await awaitAnswer(ctx)
          return sentOn(ctx, status, 0)
        }
        if (status === 'paused') throw new TerminalError(message)
        return status
      },
      /** Answers the open question, in the journal; the run continues at once. */
      answer: handlers.object.shared(async (ctx: ObjectSharedContext, answer: Answer): Promise<void> => {
        await ctx.run('answer', () => takenBy(options, ctx.key, answer))
        const question = await ctx.get<string>('question')
        if (question !== null) ctx.resolveAwakeable(question)
      }),
    },
  })
}

/** People take longer than agents. */
const LOOKS_PER_QUESTION = 10

/** The next iteration is an invocation of its own. */
function sentOn(ctx: ObjectContext, status: string, delayMs: number): string {
  ctx.genericSend({ service: RUNS, method: 'drive', key: ctx.key, parameter: undefined, delay: delayMs, inputSerde: serde.empty })
  return status
}

async function within<Value>(promise: RestatePromise<Value>, ms: number): Promise<Value | undefined> {
  try {
    return await promise.orTimeout(ms)
  } catch (error) {
    if (error instanceof TimeoutError) return undefined
    throw error
  }
}

/** A wrong answer is the caller's mistake: Restate must not try it again. */
async function takenBy({ loopOf }: RestateRunsOptions, run: string, answer: Answer): Promise<void> {
  try {
    const loop = await loopOf(run)
    await loop.answer(run, answer)
  } catch (error) {
    throw error instanceof PawlError ? new TerminalError(error.message) : error
  }
}

/** The iterations under way in this process. */
function iterationsOutside({ loopOf, ingressUrl = INGRESS_URL, signal }: RestateRunsOptions) {
  /** Whom to tell of each; whoever asks last waits. */
  const underWay = new Map<string, { awakeable: string }>()

  const iterate = async (run: string, told: { readonly awakeable: string }): Promise<void> => {
    const reached = await reachedBy(run)
    underWay.delete(run)
    if (!signal?.aborted) await tell(`${ingressUrl}/restate/awakeables/${told.awakeable}/resolve`, reached)
  }

  const reachedBy = async (run: string): Promise<Reached> => {
    try {
      const loop = await loopOf(run)
      const result = await loop.run(run, { iterationsMax: 1, leavesTimers: true, ...(signal ? { signal } : {}) })
      if (result.status === 'held') return { status: 'held', message: '' }
      const { status, message } = result
      return { status, message, ...('until' in result && result.until !== undefined ? { until: result.until } : {}) }
    } catch (error) {
      return { status: 'paused', message: error instanceof Error ? error.message : String(error) }
    }
  }

  return {
    begin: (run: string, awakeable: string): void => {
      const known = underWay.get(run)
      if (known) return void (known.awakeable = awakeable)
      const told = { awakeable }
      underWay.set(run, told)
      void iterate(run, told)
    },
  }
}

const TRIES = 5
const PAUSE_MS = 500

/** Who isn't reached looks again anyway. */
async function tell(url: string, reached: Reached): Promise<void> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(reached) }).catch(() => undefined)
    if (response && response.status < 500) return
    await sleep(PAUSE_MS * attempt)
  }
}
