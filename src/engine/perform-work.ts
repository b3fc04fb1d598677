import { stripVTControlCharacters } from 'node:util'
import type { EffectOf } from '../core/effect.ts'
import { FILES_KEPT_MAX, type SessionUsage, type TextRef, type Usage, type WorkAnswered } from '../core/event-data.ts'
import type { Author, Fact } from '../core/event.ts'
import type { Trip } from '../core/trip.ts'
import { INTERRUPTED } from '../core/evolve-effect.ts'
import { askingSession, repliesAnew, replyFor, withAnswered } from '../core/evolve-ask.ts'
import { PawlError } from '../core/pawl-error.ts'
import { rulingsNow } from '../core/ruling.ts'
import type { PartSpec } from '../core/run-config.ts'
import { shellWord } from '../core/wording.ts'
import { isSound, lastSession, soundUsage } from '../core/spending.ts'
import { isOpen, type RoleSession } from '../core/state.ts'
import type { AgentSession, WorkDetails, WorkRequest, WorkResult } from '../agents/agent.ts'
import type { Store } from '../stores/store.ts'
import type { Captured } from '../process/output.ts'
import { contextOf, type Performance } from './performance.ts'
import { authorOf, startedFact, withTexts } from './work-start.ts'
import { ACTIONS_KEPT_MAX } from '../core/action.ts'
import { type Said, spinningBy } from './spinning-text.ts'
import { watchedContext, type WorkWatch } from './watch-work.ts'
import type { AgentAsk } from '../core/agent-ask.ts'
import { askQuestion } from '../core/words.ts'
import { optionChosen } from '../core/question.ts'
import type { AskAnswer, EffectContext } from '../process/effect-context.ts'

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
  const watch = watchedContext(askedContext(plain, effect, performance), effect, performance)
  const { deadlineMs, costUsdMax, messagesMax } = effect
  // Its question is answered: it continues where it stopped, if it can.
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
    ...(costUsdMax === undefined ? {} : { costUsdMax }),
    commands: state.config.checks.flatMap(checkCommand),
    ...(messagesMax === undefined ? {} : { messagesMax }),
    ...(session === undefined ? {} : { session }),
    ...(last === undefined ? {} : { lastSession: agentSession(last) }),
  }
  const worked = await parts.agent.work(request, watch.context).catch((error: unknown): WorkResult => ({
    status: 'failed',
    fault: 'config',
    message: `The agent driver failed: ${messageOf(error)}`,
  }))
  const endedBy = (await watch.end(worked)) ?? (worked.status === 'finished' ? worked.endedBy : undefined)
  // Work that Pawl ended is looked at and checked like any other.
  const isCut = worked.status === 'aborted' && endedBy !== undefined && !performance.signal.aborted
  const result: WorkResult = isCut ? { ...worked, status: 'finished' } : worked
  if (result.status === 'aborted' && !performance.signal.aborted) {
    throw new PawlError(
      'agent.aborted',
      'The agent says it was interrupted, but nobody interrupted it; this is a defect of its driver.',
    )
  }
  const at = parts.clock.now()
  const author = 'model' in result && result.model !== undefined ? { ...by, model: result.model } : by
  const durationMs = Math.max(0, at - startedAt)
  const isEnded = isCut || (result.status === 'finished' && (result.isAtLimit || result.endedBy !== undefined))
  const ended = await workFact(result, {
    key,
    at,
    by: author,
    durationMs,
    store: parts.store,
    ...(isEnded && endedBy ? { endedBy } : {}),
  })
  await post([...actedFacts(result, watch, { key, at, by: author }), ended])
}

/** What a check runs, as a line for a shell; nothing for checks that run no command. */
function checkCommand({ name, settings: { command } }: PartSpec): readonly string[] {
  if (name !== 'command') return []
  return [typeof command === 'string' ? command.trim() : (command as readonly string[]).map(shellWord).join(' ')]
}

interface Ending {
  readonly key: string
  readonly at: number
  readonly by: Author
  readonly durationMs: number
  readonly store: Store
  readonly endedBy?: Trip
}

async function workFact(result: WorkResult, { key, at, by, durationMs, store, endedBy }: Ending): Promise<Fact> {
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
    const said = {
      ...(await saidIn(result, store)),
      ...(output.output && isSilent(result) ? { saidNothing: true as const } : {}),
      ...(endedBy ? { endedBy } : {}),
    }
    return { type: 'work.finished', at, by, data: { ...common, ...(summary === undefined ? {} : { summary }), ...said } }
  }
  const { fault, message, saidNothing, fix, retryAt, isOutage, isCeiling, isShared } = result
  const data = {
    ...common,
    reason: result.status,
    fault,
    message,
    ...(saidNothing ? { saidNothing } : {}),
    ...(fix === undefined ? {} : { fix }),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(isOutage ? { isOutage } : {}),
    ...(isCeiling ? { isCeiling } : {}),
    ...(isShared ? { isShared } : {}),
  }
  return { type: 'work.failed', at, by, data }
}

/** Keeps a driver's output by reference; nothing if there is none. */
export async function textOf(store: Store, captured: Captured | undefined): Promise<{ output?: TextRef }> {
  return captured && captured.text !== '' ? { output: await store.putText(captured) } : {}
}

/** One sentence of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What the agent did with its tools, as its own fact; none if it did nothing, or its driver does not tell. */
function actedFacts(
  result: WorkResult,
  watch: WorkWatch,
  { key, at, by }: { readonly key: string; readonly at: number; readonly by: Author },
): readonly Fact[] {
  if (result.status === 'aborted') return []
  const { actions = [], actionsCut = 0, files = [] } = result
  if (actions.length === 0 && files.length === 0) return []
  const kept = actions.slice(-ACTIONS_KEPT_MAX)
  const cut = actionsCut + actions.length - kept.length
  const data = {
    key,
    actions: watch.withFiles(kept, cut),
    ...(cut === 0 ? {} : { cut }),
    ...(files.length === 0 ? {} : { files: files.slice(0, FILES_KEPT_MAX) }),
  }
  return [{ type: 'work.acted', at, by, data }]
}

/** The session that the work was done in, and what it has used in all. */
export function sessionOf({ session, sessionUsed, settlesSession }: WorkDetails): SessionUsage {
  if (session === undefined) return {}
  // An impossible total is ignored: the next valid one brings what this one should have.
  if (sessionUsed === undefined || !isSound(sessionUsed)) return { session }
  return { session, sessionUsed, ...(settlesSession ? { settlesSession } : {}) }
}

/** What an agent gets to know of the session that it last worked in. */
export function agentSession({ id, used, unsettled }: RoleSession): AgentSession {
  return {
    id,
    ...(used === undefined ? {} : { used }),
    ...(unsettled === undefined ? {} : { unsettled: { tokens: unsettled.tokens } }),
  }
}

/** Keeps what the agent said by reference, if it is not all of what was printed. */
async function saidIn({ words }: WorkDetails, store: Store): Promise<{ said?: TextRef }> {
  return words === undefined || words === '' ? {} : { said: await store.putText({ text: words, bytesCut: 0 }) }
}

function isSilent({ words, output }: Said): boolean {
  return stripVTControlCharacters(words ?? output?.text ?? '').trim() === ''
}

/** What the agent says it used, if that is an amount. */
export function usageOf(told: Usage): Usage {
  const { costUsd, tokens, isUsagePartial, isCostEstimated } = soundUsage(told)
  return {
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(isUsagePartial ? { isUsagePartial } : {}),
    ...(isCostEstimated && costUsd !== undefined ? { isCostEstimated } : {}),
  }
}

/** How often one piece of work may ask: more is a flood, and every answer is a fact. */
const ASKS_MAX = 500

/**
 * The context with a way to answer what the agent asks: by what a person answered earlier, else by the policy, else by a person who is
 * here. Every answer is on record before the agent gets it.
 */
function askedContext(context: EffectContext, { key }: EffectOf<'work'>, performance: Performance): EffectContext {
  const { parts, post, askPerson, signal } = performance
  let known = repliesAnew(performance.state, key)
  let asks = 0
  const record = async (data: WorkAnswered): Promise<AskAnswer> => {
    known = withAnswered(known, data)
    const by = { role: data.how === 'person' ? 'person' : 'runner' } as const
    await post([{ type: 'work.answered', at: parts.clock.now(), by, data }])
    return { option: data.option, ...(data.note === undefined ? {} : { note: data.note }) }
  }
  const fromPerson = async (ask: AgentAsk): Promise<AskAnswer | undefined> => {
    const question = askQuestion(known, ask)
    const askedAt = parts.clock.now()
    const answer = await askPerson?.(question, signal)
    if (!answer || signal.aborted) return undefined
    const consequence = optionChosen(question, answer.choice)?.consequence
    if (consequence?.kind === 'continue' && consequence.reply) {
      const { option } = consequence.reply
      const note = answer.note === undefined ? {} : { note: answer.note }
      return record({ key, ask, option, how: 'person', ...note, waitedMs: parts.clock.now() - askedAt })
    }
    const reason = 'Chosen by a person when the agent asked.'
    if (consequence?.kind === 'abort')
      await post([{ type: 'run.aborted', at: parts.clock.now(), by: { role: 'person' }, data: { reason } }])
    return undefined
  }
  const ask = async (asked: AgentAsk, byPolicy?: string): Promise<AskAnswer | undefined> => {
    if (++asks > ASKS_MAX)
      throw new PawlError('agent.asks', `The agent asked more than ${ASKS_MAX} times in one piece of work.`, {
        value: asked.title,
      })
    const reply = replyFor(known, key, asked)
    if (reply) {
      const note = reply.note === undefined ? {} : { note: reply.note }
      return record({ key, ask: asked, option: reply.option, how: 'earlier', ...note })
    }
    if (byPolicy !== undefined) return record({ key, ask: asked, option: byPolicy, how: 'policy' })
    return fromPerson(asked)
  }
  return { ...context, ask }
}
