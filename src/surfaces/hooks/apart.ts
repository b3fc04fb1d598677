import { spawn } from 'node:child_process'
import type { HookAnswer } from './protocol.ts'

/** How long an end of a turn may take. */
export interface HookLimits {
  /** While the agent waits. Below the limit that `pawl install` gives the agent for this hook (900 s), so that we answer and aren't killed. */
  readonly hookMs: number
  /** In all, the time in the background with it. */
  readonly backgroundMs: number
}

/** The time that a hook has where nobody says otherwise. */
export const HOOK_LIMITS: HookLimits = { hookMs: 840_000, backgroundMs: 4 * 3_600_000 }

/** What the hook says to the process apart. */
type Order = { readonly input: string } | { readonly is: 'alone' | 'ended' }

/** What that says to the hook. */
type Message = { readonly say: string } | { readonly answer: HookAnswer }

interface ApartOptions extends HookLimits {
  /** The words with which this program is started as the process apart. */
  readonly words: readonly string[]
  /** What the agent sent. */
  readonly input: string
  readonly run: string
  readonly say: (line: string) => void
}

/**
 * Has the end of a turn answered by a process of its own. When the hook's time is up, that process continues alone, and the next end of
 * a turn takes its result. It holds the claim on the run all the time, which says who it is; if the hook is killed, it ends what it does.
 */
export async function answerApart({ words, input, run, hookMs, backgroundMs, say }: ApartOptions): Promise<HookAnswer> {
  // With pipes of the hook's own, the agent would wait for it.
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...words], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const order = (given: Order): void => void (child.connected && child.send(given, () => undefined))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => order({ is: 'ended' }))
  const answered = new Promise<HookAnswer>((resolve, reject) => {
    child.on('message', (message: Message) => ('say' in message ? say(message.say) : resolve(message.answer)))
    child.on('error', reject)
    child.on('exit', () => reject(new Error('the process that runs the checks ended without an answer')))
  })
  order({ input })
  const first = await Promise.race([answered, after(hookMs)])
  if (first) return first
  order({ is: 'alone' })
  // What was decided before it knew is still answered: the agent would never learn of it.
  const last = await Promise.race([answered, after(Math.min(hookMs, LAST_WORD_MS))])
  child.unref()
  const isSaid = last !== undefined && (last.kind !== 'pass' || last.note !== undefined)
  return isSaid ? last : { kind: 'pass', note: inBackground(run, { hookMs, backgroundMs }) }
}

const LAST_WORD_MS = 5000

function inBackground(run: string, { hookMs, backgroundMs }: HookLimits): string {
  return `Pawl: the checks of run ${run} take longer than the ${timeWords(hookMs)} that a hook has. They continue in the background, for at most ${timeWords(backgroundMs)}. You can leave this session or use it meanwhile, but files that change are checked again. When it ends its next turn, it gets the result. See how it stands: pawl show ${run}`
}

function timeWords(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes >= 120) return `${Math.round(minutes / 60)} hours`
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms))
}

/** What the process apart answers with: the limits it has to keep to, and the way back to the hook. */
export interface Apart {
  readonly signal: AbortSignal
  readonly isAlone: () => boolean
  readonly say: (line: string) => void
}

/** Answers as the process apart: what the hook was sent, for as long as the hook waits or has said that it no longer does. */
export async function beApart(
  { backgroundMs }: HookLimits,
  answer: (input: string, apart: Apart) => Promise<HookAnswer>,
): Promise<void> {
  const ending = new AbortController()
  let isAlone = false
  const end = (): void => ending.abort()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end)
  setTimeout(end, backgroundMs).unref()
  // A hook that is gone without a word was killed, and what it began ends with it.
  process.on('disconnect', () => void (isAlone || end()))
  const input = await new Promise<string>((resolve) => {
    process.on('message', (order: Order) => {
      if ('input' in order) resolve(order.input)
      else if (order.is === 'alone') isAlone = true
      else end()
    })
  })
  await send({ answer: await answer(input, { signal: ending.signal, isAlone: () => isAlone, say: (say) => void send({ say }) }) })
  process.exit(0)
}

function send(message: Message): Promise<void> {
  return new Promise((resolve) => (process.connected ? process.send?.(message, () => resolve()) : resolve()))
}
