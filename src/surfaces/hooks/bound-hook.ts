import { isInRepository } from '../../settings/find-project.ts'
import { boundNow, isOver, sessionWords } from '../../core/outcome.ts'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import { attemptNumber, iterationsMaxIn } from '../../core/unit.ts'
import { shortened } from '../../core/wording.ts'
import type { Store } from '../../stores/store.ts'
import { machineProcesses } from '../../process/processes.ts'
import { bindRun, isBoundTo } from '../../engine/bind-run.ts'
import { type HeldRun, loadState, openSession, type Session } from '../../engine/session.ts'
import { forgetSession, haltedTurn, listSession } from '../../engine/bound-sessions.ts'
import { systemClock } from '../../process/clock.ts'
import { openStore } from '../../registry/open-store.ts'
import type { HookOptions } from './hook.ts'
import type { HookAnswer, HookCall } from './protocol.ts'
import type { StopOutcome } from './stop-round.ts'
import type { Folds } from '../../core/definition.ts'
import type { LoopFold } from '../../core/loop.ts'
import { promiseFold } from '../../loops/shared/promises.ts'
import { taskFold } from '../../loops/task/fold.ts'
import { withFacts } from '../../core/advance.ts'
import { type Action, ACTIONS_KEPT_MAX, isRepeated, isSameAction } from '../../core/action.ts'
import { effectKey } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import type { WorkSoFar } from '../../core/guard.ts'
import { fieldsOf, listOf, textOf } from '../../core/json.ts'
import type { Trip } from '../../core/trip.ts'
import { type WatchedWork, watchWork } from '../../core/watch-work.ts'
import { redactFacts } from '../../journal/redact-facts.ts'
import { redactedAction } from '../../secrets/filter.ts'
import type { GuardSpec } from '../../core/run-config.ts'

/** What happened, and the store it concerns. */
export interface HookEvent extends HookOptions {
  readonly path: string
  readonly call: HookCall
}

interface Place extends HookEvent {
  readonly store: Store
}

const PASS: HookAnswer = { kind: 'pass' }

/** The session that starts a run by the MCP server is the one it belongs to. */
export async function bindStarted(event: HookEvent, names: readonly string[]): Promise<HookAnswer> {
  const { path, call, say } = event
  const notBound = await withStore(event, async ({ store }) => {
    const options = { store, folder: dirname(path), clock: systemClock, processes: machineProcesses }
    try {
      for (const name of names) if ((await bindRun(options, name, call)) === 'bound') return undefined
    } catch (error) {
      if (error instanceof PawlError && error.code === 'run.session-busy')
        return { reason: error.message, run: String(error.value) }
      throw error
    }
    return await whyNot(store, names, call)
  })
  if (notBound === undefined) return PASS
  say(notBound.reason)
  return notBound.run === undefined ? PASS : { kind: 'tell', text: `Pawl: ${notBound.reason}`, note: `Pawl: ${notBound.reason}` }
}

/** Why none of them could be bound; with the run it is about, where the agent and the person should know. */
async function whyNot(
  store: Store,
  names: readonly string[],
  { agent, session }: HookCall,
): Promise<{ readonly reason: string; readonly run?: string } | undefined> {
  for (const run of names) {
    const state = await loadState(store, run, sessionFolds)
    if (!state) continue
    if (isBoundTo(state, { agent, session })) return undefined
    const bound = boundNow(state)
    if (bound) {
      const take = `pawl bind ${run} --session ${session} --agent ${agent}`
      return {
        run,
        reason: `Run ${run} belongs to ${sessionWords(bound)}: this session is not kept going by it. If that one no longer works on it, take it over with: ${take}`,
      }
    }
    return { run, reason: `Run ${run} is ${state.status} and was not bound to this session: ${shortened(state.message, 300)}` }
  }
  return { reason: 'iteration_start was called, but none of its names is a run that could be bound to this session' }
}

/** Answers for the run that the session is listed for, where it is really bound to it. */
export async function answerBound(event: HookEvent, run: string): Promise<HookAnswer> {
  const { call, say } = event
  // Claude tells of the same calls once more, all of a round together.
  if (call.agent === 'claude' && call.event !== 'PostToolBatch' && call.kind === 'tools') return PASS
  if (call.kind === 'stop' && call.isStillBusy) {
    say(`run ${run} waits for tasks in the background`)
    return PASS
  }
  return await withStore(event, async (place) => {
    const session = await openWhenFree(place, run)
    // Once the hook's time is up, the hook itself says that the checks continue.
    if (session.status === 'held')
      return place.isAlone?.() ? PASS : leaveAlone(place, `run ${run} is driven by process ${session.holder.pid}`)
    try {
      return await answerIn(place, session)
    } finally {
      await session.close()
    }
  })
}

/** Checks of an earlier end of a turn may continue in the background: their result is waited for. Anything else is waited for a moment. */
async function openWhenFree({ call, store, timeLimit, isAlone }: Place, run: string): Promise<Session | HeldRun> {
  const parts = { store, processes: machineProcesses, folds: sessionFolds }
  const waitMsMax = call.kind === 'stop' ? STOP_WAIT_MS_MAX : TOOLS_WAIT_MS_MAX
  let ending: AbortSignal | undefined
  for (;;) {
    const session = await openSession(parts, run, { waitMsMax })
    if (session.status === 'open' || call.kind !== 'stop') return session
    const state = await loadState(store, run, sessionFolds)
    ending ??= timeLimit()
    if (!state || !isBoundTo(state, call) || !isRoundOpen(state) || ending.aborted || isAlone?.()) return session
  }
}

async function answerIn(place: Place, session: Session): Promise<HookAnswer> {
  const { call, path, say } = place
  const state = session.state()
  if (state && isBoundTo(state, call))
    return call.kind === 'stop' ? await onStop(place, session, state) : await onTools(place, session, state)
  // It was moved to another session, or taken away: then this one is nobody's, and need not be looked at again.
  forgetSession(dirname(path), call)
  say(`run ${session.run} does not belong to this session any more`)
  return PASS
}

async function withStore<Result>(event: HookEvent, use: (place: Place) => Promise<Result>): Promise<Result> {
  // The hook before this one has looked at what lies further back, and the one after it reads the whole log that is left.
  const store = openStore(event.path, { eventsLookedAt: 2, logPagesMax: 64 })
  try {
    return await use({ ...event, store })
  } finally {
    if (!event.isLeaving) await store.close()
  }
}

/** Whether the work of an iteration is on record, and its checks have not all ended. */
function isRoundOpen({ current }: State): boolean {
  return current.work.length > 0 && !current.ended
}

const STOP_WAIT_MS_MAX = 2000
const TOOLS_WAIT_MS_MAX = 1000

function leaveAlone({ call, say }: Place, reason: string): HookAnswer {
  say(reason)
  return call.kind === 'stop' ? { kind: 'pass', note: `Pawl: ${reason}; this session is let go.` } : PASS
}

async function onTools(place: Place, session: Session, before: State): Promise<HookAnswer> {
  const { path, call } = place
  if (before.status !== 'running' && isHalted(place)) return haltAnswer(place, await endTurn(place, session, before))
  const answer = await toolRound(session, call)
  if ('kind' in answer) return answer
  const outcome = await endTurn(place, session, session.state() ?? before)
  // The turn need not end: another iteration begins in it.
  if (outcome.status === 'again')
    return { kind: 'tell', text: `Pawl: ${answer.message}\n\n${blockAnswer(place, outcome).reason}` }
  if (outcome.status === 'over' && call.turn !== undefined) listSession(dirname(path), call, session.run, call.turn)
  return haltAnswer(place, outcome)
}

/** Only that very turn is reported again: in the next one the person may ask the agent for something else. */
function isHalted({ path, call }: Place): boolean {
  return call.turn !== undefined && haltedTurn(dirname(path), call) === call.turn
}

/** Codex does not end the turn: its model reads the reason in place of the tool's result, so that says what to do. */
function haltAnswer({ call }: Place, outcome: StopOutcome): HookAnswer {
  if (outcome.status !== 'over') return PASS
  const order = call.agent === 'codex' ? ' End your turn now, without using another tool.' : ''
  return { kind: 'halt', reason: `Pawl: ${outcome.message}${order}` }
}

async function onStop(place: Place, session: Session, state: State): Promise<HookAnswer> {
  const outcome = await endTurn(place, session, state)
  if (outcome.status === 'again') return blockAnswer(place, outcome)
  place.say(outcome.message)
  return { kind: 'pass', note: `Pawl: ${outcome.message}` }
}

async function endTurn(place: Place, session: Session, state: State): Promise<StopOutcome> {
  const { store, path: storePath, timeLimit, isAlone, call } = place
  const { stopRound } = await import('./stop-round.ts')
  const options = { store, storePath, signal: timeLimit(), ...(isAlone ? { isAlone } : {}) }
  const outcome = await stopRound(options, session, state, call)
  if (outcome.status === 'over' && isOver(outcome.state)) forgetSession(dirname(storePath), call)
  return outcome
}

function blockAnswer(
  { call }: Place,
  { state, brief, missing }: Extract<StopOutcome, { status: 'again' }>,
): Extract<HookAnswer, { kind: 'block' }> {
  const max = iterationsMaxIn(state.config.guards, attemptNumber(state.unit, state.current.number))
  const number = `iteration ${state.current.number}${max === undefined ? '' : ` of at most ${max}`}`
  // Who changed nothing is not told that a word is all that is missing.
  const isUntouched = state.base !== undefined && state.tree?.tree === state.base.tree
  const rest = isUntouched ? 'And no file was changed' : 'Nothing else is missing'
  const head = `${missing === undefined ? 'Not done yet' : `${missing} ${rest}`}: run ${state.run} continues with ${number}.`
  const standing = state.recent.at(-1)?.verdict.passed ? 'The checks pass.' : 'The checks fail.'
  const own = ownCap(call, state)
  return {
    kind: 'block',
    reason: `${head} The checks were run by Pawl, not by you.\n\n${brief}`,
    note: `Pawl: run ${state.run}, ${number}. ${missing ?? standing}${own}`,
  }
}

/** Claude and Qwen stop asking their hooks after some blocks in a row; the run is then still open. */
function ownCap({ agent }: HookCall, { current }: State): string {
  if (agent !== 'claude' && agent !== 'qwen') return ''
  if (current.number <= OWN_CAP - 2) return ''
  const raise = agent === 'claude' ? ' (CLAUDE_CODE_STOP_HOOK_BLOCK_CAP raises it)' : ''
  return ` The agent itself ends a turn after about ${OWN_CAP} blocks in a row${raise}: the run stays open; tell the agent to continue.`
}

const OWN_CAP = 8

const FOLDS: Readonly<Record<string, LoopFold | undefined>> = { task: taskFold, ralph: promiseFold }

/** The loops' own folds, of those that a session can be bound to: a hook loads no others. */
export const sessionFolds: Folds = ({ name }) => FOLDS[name]

/**
 * Records what the agent just did and asks the guards that can judge work before it ends, with what they are asked in the runner: its
 * actions, its words, and how long nothing happened. The agent hears of a warning at once; a trip is left to the caller, since to end an
 * iteration takes its checks. Nothing is concluded here.
 */
async function toolRound(session: Session, call: HookCall): Promise<HookAnswer | Trip> {
  const used = call.tools.filter(({ name }) => !isOwnTool(name))
  const actions = await Promise.all(used.slice(-ACTIONS_KEPT_MAX).map(redactedAction))
  if (actions.length === 0) return { kind: 'pass' }
  let warned: readonly Trip[] = []
  let ending: Trip | undefined
  await session.record(async (state) => {
    if (state?.status !== 'running') return []
    const at = systemClock.now()
    const by = { role: 'agent', name: call.agent } as const
    const seen = await withFiles(actions, state, call.cwd)
    const acted = await redactFacts([{ type: 'work.acted', at, by, data: { key: workKey(state), actions: seen } }])
    const after = withFacts(state, acted)
    const { end, warnings } = await watched(after, {
      quietMs: await quietTime(state, at, call.cwd),
      ...(await spinningNow(state, call)),
    })
    warned = warnings
    ending = end
    return [...acted, ...warned.map((trip) => nudge(trip, at))]
  })
  if (ending) return ending
  if (warned.length === 0) return { kind: 'pass' }
  return { kind: 'tell', text: warned.map((trip) => `Pawl: ${trip.message} ${trip.hint}`).join('\n') }
}

/** Calls that repeat are noted with the state of the files: if a file changed, it is no repetition. */
async function withFiles(actions: readonly Action[], { measures }: State, cwd: string): Promise<readonly Action[]> {
  const isAgain = (action: Action, index: number): boolean =>
    [...measures.actions.last, ...actions.slice(0, index)].some((each) => isRepeated(each, action))
  if (!actions.some(isAgain)) return actions
  const { gitFilesStamp } = await import('../../registry/workspace-tools.ts')
  // In a folder without git it isn't known. Where git fails for once, the call counts as the first of its kind.
  const stamp = await gitFilesStamp(cwd).catch(() => undefined)
  const files = stamp?.stamp ?? (isInRepository(cwd) ? String(systemClock.now()) : undefined)
  if (files === undefined) return actions
  return actions.map((action, index) => (isAgain(action, index) ? { ...action, files } : action))
}

/** The work under way, where it was recorded as begun. */
function workKey({ current }: State): string {
  const open = current.effects.find((effect) => effect.kind === 'work' && effect.status === 'open')
  return open?.key ?? effectKey(current.number, 'session')
}

function nudge(trip: Trip, at: number): Fact {
  return { type: 'guard.nudged', at, by: { role: 'guard', name: trip.guard }, data: trip }
}

/** What the guards say that watch actions, words and silence, alone or on a ladder; all others need the end of the iteration. */
async function watched(state: State, seen: Pick<WorkSoFar, 'quietMs' | 'spinning'>): Promise<WatchedWork> {
  const [newest, ...earlier] = state.measures.actions.last.filter(({ isWaiting }) => !isWaiting).toReversed()
  const isAgain = newest !== undefined && earlier.some((action) => isSameAction(action, newest))
  // Most steps are the first of their kind, and soon after the one before. Only others are worth loading the guards.
  if (!isAgain && seen.quietMs === 0 && !seen.spinning) return { warnings: [] }
  const names = [...(isAgain ? ['repeatedAction'] : []), ...(seen.spinning ? ['spinningText'] : []), 'idle']
  const { guardFrom } = await import('../../guards/guard-from.ts')
  const guards = state.config.guards.filter((spec) => specIn(spec, names)).map((spec) => guardFrom(spec))
  return watchWork(guards, state, { used: {}, messages: 0, actions: [], ...seen })
}

/** The guard of one of these names: the spec itself, or what a ladder is of. */
function specIn(spec: GuardSpec, names: readonly string[]): GuardSpec | undefined {
  if (names.includes(spec.name)) return spec
  return spec.name === 'ladder' ? spec.parts?.find((part) => specIn(part, names)) : undefined
}

/** How long there was no tool call and no changed file; 0 if it is less than `idle` minds. */
async function quietTime({ at, config }: State, now: number, cwd: string): Promise<number> {
  const max = config.guards.flatMap((spec) => specIn(spec, ['idle']) ?? []).at(0)?.settings['quietMsMax']
  if (typeof max !== 'number' || now - at < max) return 0
  const { gitFilesStamp } = await import('../../registry/workspace-tools.ts')
  const { changedAt = 0 } = (await gitFilesStamp(cwd).catch(() => undefined)) ?? {}
  const quietMs = now - Math.max(at, Math.min(changedAt, now))
  return quietMs < max ? 0 : quietMs
}

/** Whether the agent's words go round in circles, by its own record of the session, if it said some since the last event. */
async function spinningNow({ at }: State, { transcript }: HookCall): Promise<Pick<WorkSoFar, 'spinning'>> {
  const said = transcript === undefined ? [] : saidIn(transcript)
  // Words of an iteration that was ended for them stay in the record.
  if (!((said.at(-1)?.at ?? 0) > at)) return {}
  const { spinningBy } = await import('../../engine/spinning-text.ts')
  return spinningBy({ words: said.map(({ text }) => text).join('\n') })
}

interface SaidText {
  readonly at: number
  readonly text: string
}

/** What the agent said in the last part of a transcript, if it can be read. All agents write a line of JSON for each message. */
function saidIn(path: string): readonly SaidText[] {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const { size } = fstatSync(file)
    const end = Buffer.alloc(Math.min(size, TRANSCRIPT_BYTES_MAX))
    const bytesRead = readSync(file, end, 0, end.length, size - end.length)
    return end.toString('utf8', 0, bytesRead).split('\n').flatMap(saidOn)
  } catch {
    return []
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const TRANSCRIPT_BYTES_MAX = 128 * 1024

/** Claude Code and Qwen Code put a message below `message`, Codex below `payload`; Gemini CLI's lines are messages themselves. */
function saidOn(line: string): readonly SaidText[] {
  // Most lines are results of tools, and the first may be cut.
  if (!/"(?:assistant|model|gemini)"/.test(line)) return []
  try {
    const entry = fieldsOf(JSON.parse(line))
    const message = fieldsOf(entry['message'] ?? entry['payload'] ?? entry)
    const isSaid = ['assistant', 'model'].includes(String(message['role'])) || entry['type'] === 'gemini'
    const { content = message['parts'] } = message
    const texts = typeof content === 'string' ? [content] : listOf(content).flatMap(({ text }) => textOf(text) ?? [])
    return isSaid ? texts.map((text) => ({ at: Date.parse(String(entry['timestamp'])), text })) : []
  } catch {
    return []
  }
}

/** Whether the tool is one of Pawl's own: those are counted as iterations. */
function isOwnTool(name: string): boolean {
  return /^mcp_.*pawl/i.test(name)
}
