import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProcessGroup } from './end-process-group.ts'
import { type ProcessExit, startTalkingProcess, type TalkingProcess } from './gated-process.ts'
import { BoundedOutput, type Captured } from './output.ts'
import type { CouldNotStart } from './find-program.ts'
import { type RunCommandOptions, startAtGate } from './run-command.ts'

export type TalkOptions = Pick<
  RunCommandOptions,
  'command' | 'cwd' | 'env' | 'box' | 'timeoutMs' | 'graceMs' | 'signal' | 'onStarted'
>

/** The connection to the program. */
export interface Talk {
  /** The program's stdin. */
  readonly input: Writable
  /** Its stdout. */
  readonly output: Readable
  /** Aborted when the time is up or the work must end: finish within a second, then the program is ended. */
  readonly signal: AbortSignal
  /** Pauses the time limit until the returned function is called. */
  readonly pauseLimit: () => () => void
}

interface Ended {
  /** Its stderr. */
  readonly errors: Captured
  /** Set if the system didn't let us end everything: something still runs. */
  readonly survived?: true
}

/** How a talk ended. `broken-off`: it failed while the program was still running. */
export type TalkResult<Value> =
  | ({ readonly status: 'talked'; readonly value: Value } & Ended)
  | ({ readonly status: 'exited'; readonly exitCode: number } & Ended)
  | ({ readonly status: 'killed'; readonly signal: NodeJS.Signals } & Ended)
  | ({ readonly status: 'broken-off'; readonly error: unknown } & Ended)
  | ({ readonly status: 'timed-out' } & Ended)
  | ({ readonly status: 'aborted' } & Ended)
  | CouldNotStart

/**
 * Starts a program and talks to it over its stdin and stdout, within a time limit. When the talk is over, the program and everything it
 * started are ended.
 */
export async function talkToCommand<Value>(
  options: TalkOptions,
  talk: (with_: Talk) => Promise<Value>,
): Promise<TalkResult<Value>> {
  const errors = new BoundedOutput(ERROR_BYTES_MAX)
  if (options.signal.aborted) return { status: 'aborted', errors: errors.captured() }
  const program = await startAtGate(options, startTalkingProcess)
  if ('status' in program) return program
  program.errors.on('data', (chunk: Buffer) => {
    errors.push(chunk)
    options.box?.see?.(chunk)
  })
  program.errors.on('error', () => undefined)
  try {
    await options.onStarted(program.identity)
  } catch (error) {
    await program.discard()
    throw error
  }
  if (options.signal.aborted) {
    await program.discard()
    return { status: 'aborted', errors: errors.captured() }
  }
  const first = await talkOrLimit(program, options, talk)
  const sparesDaemons = first.status !== 'timed-out' && first.status !== 'aborted'
  const survived = await endProgram(program, options, sparesDaemons)
  return { ...first, errors: errors.captured(), ...(survived ? { survived } : {}) }
}

const ERROR_BYTES_MAX = 64 * 1024

/** How long the other side may take to finish once `signal` is aborted. */
const FAREWELL_MS = 1000

type First<Value> =
  | { readonly status: 'talked'; readonly value: Value }
  | { readonly status: 'broken-off'; readonly error: unknown }
  | { readonly status: 'exited'; readonly exitCode: number }
  | { readonly status: 'killed'; readonly signal: NodeJS.Signals }
  | { readonly status: 'timed-out' }
  | { readonly status: 'aborted' }

async function talkOrLimit<Value>(
  program: TalkingProcess,
  { timeoutMs, signal }: TalkOptions,
  talk: (with_: Talk) => Promise<Value>,
): Promise<First<Value>> {
  const leave = new AbortController()
  const limit = new PausableLimit(timeoutMs)
  const aborted = once(signal)
  program.open()
  const { input, output } = program
  const talked: Promise<First<Value>> = talk({ input, output, signal: leave.signal, pauseLimit: () => limit.pause() }).then(
    (value) => ({ status: 'talked', value }) as const,
    (error: unknown) => ({ status: 'broken-off', error }) as const,
  )
  const exited = program.exited.then(exitResult)
  try {
    const first = await Promise.race([
      talked,
      // Its last output may still be on its way.
      exited.then(async (exit) => withinMs(talked, 200, exit)),
      limit.reached.then(() => ({ status: 'timed-out' }) as const),
      aborted.happened.then(() => ({ status: 'aborted' }) as const),
    ])
    if (first.status === 'timed-out' || first.status === 'aborted') {
      leave.abort()
      await withinMs(Promise.race([talked, exited]), FAREWELL_MS, undefined)
    }
    // A talk also breaks off because the program ended: then its exit counts.
    return first.status === 'broken-off' ? await withinMs(exited, FAREWELL_MS, first) : first
  } finally {
    limit.stop()
    aborted.stop()
    leave.abort()
  }
}

/** Ends the program. `true` if something could not be ended. */
async function endProgram(
  program: TalkingProcess,
  { graceMs = 3000 }: TalkOptions,
  sparesDaemons: boolean,
): Promise<true | undefined> {
  program.input.end()
  const isGone = await withinMs(
    program.exited.then(() => true),
    LAST_MS,
    false,
  )
  const end = await endProcessGroup(program.identity, { graceMs, leaderJustExited: isGone, sparesDaemons })
  if (end === 'still-there') {
    program.forget()
    program.errors.destroy()
    return true
  }
  await program.exited
  const rest = isGone ? end : await endProcessGroup(program.identity, { graceMs, leaderJustExited: true, sparesDaemons })
  for (const stream of [program.input, program.output, program.errors]) stream.destroy()
  return rest === 'still-there' ? true : undefined
}

/** How long a program may take to end by itself once its stdin is closed. */
const LAST_MS = 300

function exitResult({ exitCode, signal }: ProcessExit): Extract<First<never>, { status: 'exited' | 'killed' }> {
  return exitCode === null ? { status: 'killed', signal: signal ?? 'SIGKILL' } : { status: 'exited', exitCode }
}

async function withinMs<Value, Else>(value: Promise<Value>, waitMs: number, otherwise: Else): Promise<Value | Else> {
  const over = new AbortController()
  const late = sleep(waitMs, otherwise, { signal: over.signal, ref: false }).catch(() => otherwise)
  try {
    return await Promise.race([value, late])
  } finally {
    over.abort()
  }
}

function once(signal: AbortSignal): { readonly happened: Promise<void>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const listener = (): void => resolve()
  signal.addEventListener('abort', listener)
  return { happened: promise, stop: () => signal.removeEventListener('abort', listener) }
}

/** A time limit that can be paused. */
class PausableLimit {
  readonly reached: Promise<void>
  #resolve: () => void = () => undefined
  #leftMs: number
  #runningSince: number | undefined
  #pauses = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limitMs: number) {
    this.#leftMs = Math.min(limitMs, TIMER_MS_MAX)
    this.reached = new Promise((resolve) => (this.#resolve = resolve))
    this.#run()
  }

  /** Returns the function that ends this pause. Time counts again once all pauses have ended. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#halt()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      if (--this.#pauses === 0) this.#run()
    }
  }

  /** The limit is never reached afterwards. */
  stop(): void {
    this.#pauses++
    this.#halt()
  }

  #run(): void {
    this.#runningSince = performance.now()
    this.#timer = setTimeout(() => this.#resolve(), this.#leftMs)
  }

  #halt(): void {
    clearTimeout(this.#timer)
    if (this.#runningSince !== undefined) this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#runningSince))
    this.#runningSince = undefined
  }
}

/** Longer timers fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1
