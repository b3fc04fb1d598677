import type { EffectOf } from '../core/effect.ts'
import type { Spinning, TextRef, Usage } from '../core/event-data.ts'
import type { Author, Fact } from '../core/event.ts'
import { claimIn } from '../core/claim.ts'
import { INTERRUPTED } from '../core/evolve-effect.ts'
import { spinningIn } from '../core/measures/spinning-text.ts'
import { withoutEcho } from '../core/without-echo.ts'
import { PawlError } from '../core/pawl-error.ts'
import { isOpen } from '../core/state.ts'
import type { WorkResult } from '../ports/agent.ts'
import type { Store } from '../ports/store.ts'
import type { Captured } from '../ports/captured.ts'
import { contextOf, type Performance } from './perform.ts'
import { withTexts } from './brief-texts.ts'
import { authorOf, startedFact } from './work-start.ts'

/** Has the agent work on the brief. An agent that throws has a defect: that is a problem for a person, not a failed attempt. */
export async function performWork(effect: EffectOf<'work'>, performance: Performance): Promise<void> {
  const { parts, state, cwd, post } = performance
  const { key, iteration, role } = effect
  const by = authorOf(parts.agent)
  const text = await withTexts(effect, performance)
  // Where the start is on record already, the brief is as well.
  const brief = isOpen(state, key) ? undefined : await parts.store.putText({ text, bytesCut: 0 })
  const startedAt = parts.clock.now()
  const context = contextOf(effect, performance, (process) => {
    if (brief !== undefined) return [startedFact(parts, effect, brief, process)]
    if (process === undefined) return []
    throw new PawlError('agent.in-process', 'An agent that says isInProcess started a process; this is a defect of its driver.')
  })
  const { deadlineMs } = effect
  const request = {
    run: state.run,
    iteration,
    role,
    brief: text,
    cwd,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  }
  const result = await parts.agent.work(request, context).catch((error: unknown): WorkResult => ({
    status: 'failed',
    fault: 'config',
    message: `The agent driver failed: ${messageOf(error)}`,
  }))
  if (result.status === 'aborted' && !performance.signal.aborted) {
    throw new PawlError(
      'agent.aborted',
      'The agent says it was interrupted, but nobody interrupted it; this is a defect of its driver.',
    )
  }
  const at = parts.clock.now()
  const ended = await workFact(result, { key, at, by, durationMs: at - startedAt, store: parts.store })
  const claim =
    effect.promises && result.status === 'finished' ? claimIn(withoutEcho(lastWords(result), text), effect.promises) : undefined
  await post(claim ? [ended, { type: 'promise.claimed', at, by, data: { key, ...claim } }] : [ended])
}

/** What it said last counts; where the driver knows no last message, the end of what was printed. */
function lastWords({ summary, output }: Extract<WorkResult, { status: 'finished' }>): string {
  return `${output?.text.slice(-LAST_CHARACTERS_MAX) ?? ''}\n${summary ?? ''}`
}

const LAST_CHARACTERS_MAX = 20_000

interface Ending {
  readonly key: string
  readonly at: number
  readonly by: Author
  readonly durationMs: number
  readonly store: Store
}

async function workFact(result: WorkResult, { key, at, by, durationMs, store }: Ending): Promise<Fact> {
  if (result.status === 'aborted')
    return { type: 'work.abandoned', at, by: { role: 'runner' }, data: { key, reason: INTERRUPTED } }
  const output = await textOf(store, result.output)
  const common = {
    key,
    durationMs,
    ...usageOf(result),
    ...output,
    ...spinningOf(result.output?.text ?? ''),
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
  }
  if (result.status === 'finished') {
    const { summary, session } = result
    return {
      type: 'work.finished',
      at,
      by,
      data: { ...common, ...(summary === undefined ? {} : { summary }), ...(session === undefined ? {} : { session }) },
    }
  }
  const { fault, message, fix, retryAt } = result
  const data = {
    ...common,
    reason: result.status,
    fault,
    message,
    ...(fix === undefined ? {} : { fix }),
    ...(retryAt === undefined ? {} : { retryAt }),
  }
  return { type: 'work.failed', at, by, data }
}

/** A short text is no circle worth stopping for. */
function spinningOf(text: string): { readonly spinning?: Spinning } {
  const spinning = text.length < SPINNING_CHARACTERS_MIN ? undefined : spinningIn(text)
  return spinning === undefined ? {} : { spinning }
}

const SPINNING_CHARACTERS_MIN = 2000

/** Keeps a driver's output by reference; nothing when there is none. */
export async function textOf(store: Store, captured: Captured | undefined): Promise<{ output?: TextRef }> {
  return captured && captured.text !== '' ? { output: await store.putText(captured) } : {}
}

/** One sentence of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What the agent says it used, where that is an amount. */
export function usageOf({ costUsd, tokens }: Usage): Usage {
  return { ...(isAmount(costUsd) ? { costUsd } : {}), ...(isAmount(tokens) ? { tokens } : {}) }
}

/** What is no amount would poison every sum after it, or pay the budget back. */
function isAmount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0
}
