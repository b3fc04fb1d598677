import type { EffectOf } from '../core/effect.ts'
import type { TextRef } from '../core/event-data.ts'
import type { Author, Fact } from '../core/event.ts'
import { INTERRUPTED } from '../core/evolve-effect.ts'
import { askingSession } from '../core/replies.ts'
import { PawlError } from '../core/pawl-error.ts'
import { rulingsNow } from '../core/ruling.ts'
import { lastSession } from '../core/sessions.ts'
import { isOpen } from '../core/state.ts'
import type { WorkRequest, WorkResult } from '../agents/agent.ts'
import type { Store } from '../stores/store.ts'
import type { Captured } from '../process/output.ts'
import { contextOf, type Performance } from './perform.ts'
import { askedContext } from './agent-asks.ts'
import { withTexts } from './brief-texts.ts'
import { spinningBy } from './said-by.ts'
import { usageOf } from './usage-of.ts'
import { actedFacts, agentSession, saidIn, sessionOf } from './work-details.ts'
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
  const plain = contextOf(effect, performance, (process) => {
    if (brief !== undefined) return [startedFact(parts, effect, brief, process)]
    if (process === undefined) return []
    throw new PawlError('agent.in-process', 'An agent that says isInProcess started a process; this is a defect of its driver.')
  })
  const context = askedContext(plain, effect, performance)
  const { deadlineMs } = effect
  // What it asked is answered: it goes on where it stopped, where it can.
  const session = askingSession(state, key)
  const last = lastSession(state, key, by.name ?? '')
  const rulings = rulingsNow(state)
  const request: WorkRequest = {
    run: state.run,
    iteration,
    role,
    brief: text,
    cwd,
    ...(rulings.length === 0 ? {} : { rulings }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(session === undefined ? {} : { session }),
    ...(last === undefined ? {} : { lastSession: agentSession(last) }),
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
  const author = 'model' in result && result.model !== undefined ? { ...by, model: result.model } : by
  const ended = await workFact(result, { key, at, by: author, durationMs: Math.max(0, at - startedAt), store: parts.store })
  await post([...actedFacts(result, { key, at, by: author }), ended])
}

interface Ending {
  readonly key: string
  readonly at: number
  readonly by: Author
  readonly durationMs: number
  readonly store: Store
}

async function workFact(result: WorkResult, { key, at, by, durationMs, store }: Ending): Promise<Fact> {
  if (result.status === 'aborted') {
    const data = { key, reason: INTERRUPTED, ...usageOf(result), ...sessionOf(result) }
    return { type: 'work.abandoned', at, by, data }
  }
  const output = await textOf(store, result.output)
  if (result.status === 'asked') {
    const data = { key, ask: result.ask, durationMs, ...usageOf(result), ...output, ...sessionOf(result) }
    return { type: 'work.asked', at, by, data }
  }
  const common = {
    key,
    durationMs,
    ...usageOf(result),
    ...output,
    ...(await spinningBy(result)),
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...sessionOf(result),
    ...(result.denied === undefined ? {} : { denied: result.denied }),
  }
  if (result.status === 'finished') {
    const { summary } = result
    const said = result.words === undefined ? {} : await saidIn(result, store)
    return { type: 'work.finished', at, by, data: { ...common, ...(summary === undefined ? {} : { summary }), ...said } }
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

/** Keeps a driver's output by reference; nothing when there is none. */
export async function textOf(store: Store, captured: Captured | undefined): Promise<{ output?: TextRef }> {
  return captured && captured.text !== '' ? { output: await store.putText(captured) } : {}
}

/** One sentence of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
