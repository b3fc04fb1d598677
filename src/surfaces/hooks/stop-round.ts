import type { EffectOf } from '../../core/effect.ts'
import type { Author, Fact } from '../../core/event.ts'
import { isOver, outcomeOf } from '../../core/outcome.ts'
import type { State } from '../../core/state.ts'
import { shortened } from '../../core/wording.ts'
import { questionInWords, textOf } from '../../present/words.ts'
import { redactedLine } from '../../secrets/filter.ts'
import type { Store } from '../../stores/store.ts'
import { withTexts } from '../../engine/work-start.ts'
import { endOpenEffects } from '../../engine/end-orphans.ts'
import { isBoundTo } from '../../engine/bind-run.ts'
import type { Parts } from '../../engine/parts.ts'
import { spinningBy } from '../../engine/spinning-text.ts'
import { claimBy } from '../../loops/shared/perform-promise.ts'
import { systemClock } from '../../process/clock.ts'
import { type RunPosition, untilWork, type UntilWorkOptions } from '../../engine/until-work.ts'
import { type Session, TakenOver } from '../../engine/session.ts'
import { outsideAgent, partsFrom } from '../../registry/parts-from.ts'
import { ceilingsOf } from '../../settings/ceilings.ts'
import type { HookCall } from './protocol.ts'

/** What the end of a turn came to. */
export type StopOutcome =
  /** The agent is wanted again, with this brief; `missing` is all that is missing where the checks pass. */
  | { readonly status: 'again'; readonly state: State; readonly brief: string; readonly missing?: string }
  /** The run is done, asks a person, waits or doesn't move. */
  | { readonly status: 'over'; readonly state: State; readonly message: string }
  /** Nothing was decided. */
  | { readonly status: 'left'; readonly message: string }

export interface StopRoundOptions {
  readonly store: Store
  readonly storePath: string
  readonly signal: AbortSignal
  /** Whether nobody waits for the outcome any more: the checks end, and what follows is left to the next end of a turn. */
  readonly isAlone?: () => boolean
}

/**
 * The agent's turn is over: its work is recorded, the workspace looked at, the checks run, and the loop says what follows. Continues
 * where an earlier round was cut short, and never restores anything: the files are the session's.
 */
export async function stopRound(
  { store, storePath, signal, isAlone = () => false }: StopRoundOptions,
  session: Session,
  state: State,
  call: HookCall,
): Promise<StopOutcome> {
  if (isStandingStill(state)) return over(state)
  if (state.workspace === 'restore') {
    const message = `run ${state.run} was cut short in the middle of its work: continue with \`pawl resume ${state.run} --unbind\``
    return { status: 'left', message }
  }
  const parts = await partsFrom(state.config, {
    store,
    storePath,
    agent: outsideAgent(state.config.agent),
    ceilings: ceilingsOf(storePath),
  })
  const takenAway = watchForEnd(store, session)
  const options = { signal: AbortSignal.any([signal, takenAway.signal]), isAgentInFolder: true, isHolding: isAlone }
  try {
    const position = await judgeTurn(session, parts, state, call, options)
    const present = position.isInterrupted ? await session.catchUp() : undefined
    return await outcomeFrom({ ...position, state: present ?? position.state }, parts, call)
  } catch (error) {
    if (error instanceof TakenOver) return { status: 'left', message: 'another process took the run over' }
    throw error
  } finally {
    takenAway.stop()
  }
}

/** Aborted once a person has ended the run or taken it away from its session: checks that nobody wants any more are ended with it. */
function watchForEnd(store: Store, session: Session): { readonly signal: AbortSignal; stop(): void } {
  const ending = new AbortController()
  const look = async (): Promise<void> => {
    const newer = await store.read(session.run, session.state()?.seq ?? 0)
    if (newer.some(({ type }) => type === 'run.aborted' || type === 'run.unbound')) ending.abort()
  }
  // A look that fails is followed by another one.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS)
  timer.unref()
  return { signal: ending.signal, stop: () => clearInterval(timer) }
}

const LOOK_MS = 500

/** Work that was already recorded is not recorded twice: then this is the rest of its iteration. */
async function judgeTurn(
  session: Session,
  parts: Parts,
  state: State,
  call: HookCall,
  options: UntilWorkOptions,
): Promise<RunPosition> {
  // A check whose hook was killed may still run, and would disturb the next.
  await endOpenEffects(parts.processes, state)
  const isCutShort = state.current.work.length > 0 && !state.current.ended
  const facts = [...timerFacts(parts, state), ...(isCutShort ? [resumedFact(parts, state)] : [])]
  const first = await untilWork(session, parts, facts, options)
  const work = isCutShort ? undefined : await finishedWork(state, first, call)
  return work ? await untilWork(session, parts, await workFacts(parts, first.state, work, call), options) : first
}

/** Nothing follows from the end of a turn while a person or a provider is waited for; an answer that was given is another matter. */
function isStandingStill({ status, answer, timer }: State): boolean {
  return timer ? timer.until > systemClock.now() : status !== 'running' && answer === undefined
}

/** A wait that is over by now. */
function timerFacts({ clock }: Parts, { timer }: State): readonly Fact[] {
  if (!timer) return []
  return [{ type: 'timer.fired', at: clock.now(), by: { role: 'runner' }, because: timer.seq, data: { timer: timer.timer } }]
}

/** The files may have changed since: they are looked at again before anything is decided. */
function resumedFact({ clock, processes }: Parts, { run }: State): Fact {
  const data = { holder: processes.self(), reason: `Run ${run} goes on.` }
  return { type: 'run.resumed', at: clock.now(), by: { role: 'runner' }, data }
}

function wantedWork({ step, isInterrupted }: RunPosition): EffectOf<'work'> | undefined {
  if (isInterrupted || step.kind !== 'perform') return undefined
  return step.effects.find((effect) => effect.kind === 'work')
}

/**
 * The work that this turn has finished. If the iteration had ended before the turn began (a person answered since), the turn counts as
 * the next one's work. A turn that changed no file and claims nothing is not: its agent gets the brief first.
 */
async function finishedWork(before: State, position: RunPosition, { words }: HookCall): Promise<EffectOf<'work'> | undefined> {
  const work = wantedWork(position)
  const promises = work?.promises ?? []
  const isAnswered = before.current.work.length > 0
  const isSameTree = position.state.tree?.tree === before.tree?.tree
  if (!isAnswered || !isSameTree || promises.length === 0) return work
  return (await claimBy({ words }, promises, '')) ? work : undefined
}

async function workFacts(
  { store, clock }: Parts,
  state: State,
  { key, iteration, role, brief, promises }: EffectOf<'work'>,
  { agent, session, words }: HookCall,
): Promise<readonly Fact[]> {
  const at = clock.now()
  const by: Author = { role: 'agent', name: agent }
  const isBegun = state.current.effects.some((effect) => effect.key === key)
  const started: Fact[] = isBegun
    ? []
    : [
        {
          type: 'work.started',
          at: state.at,
          by,
          data: { key, iteration, role, brief: await store.putText({ text: brief, bytesCut: 0 }) },
        },
      ]
  const said =
    words.trim() === ''
      ? {}
      : { summary: await redactedLine(words, SUMMARY_LENGTH_MAX), output: await store.putText({ text: words, bytesCut: 0 }) }
  const data = { key, durationMs: Math.max(0, at - state.at), session, ...said, ...(await spinningBy({ words })) }
  const claim = await claimBy({ words }, promises ?? [], '')
  return [
    ...started,
    { type: 'work.finished', at, by, data },
    ...(claim && promises ? [{ type: 'promise.claimed' as const, at, by, data: { key, ...claim } }] : []),
  ]
}

const SUMMARY_LENGTH_MAX = 1000

async function outcomeFrom(position: RunPosition, parts: Parts, call: HookCall): Promise<StopOutcome> {
  const { state, step, isInterrupted } = position
  const { run } = state
  if (isInterrupted && isOver(state)) return over(state)
  if (isInterrupted && !isBoundTo(state, call)) return { status: 'left', message: `run ${run} no longer belongs to this session` }
  if (isInterrupted)
    return { status: 'left', message: `the checks of run ${run} were ended; they run again at the next end of a turn` }
  if (step.kind === 'hold')
    return { status: 'left', message: `the checks of run ${run} have ended; the next end of a turn takes their result` }
  const work = wantedWork(position)
  if (!work) return over(state)
  if (!hasMaximum(state) && state.current.number > ITERATIONS_MAX)
    return { status: 'left', message: `run ${state.run} has no maximum, and ${ITERATIONS_MAX} iterations are enough for a hook` }
  const missing = await whatIsMissing(parts, state)
  return { status: 'again', state, brief: await withTexts(work, { parts, state }), ...(missing === undefined ? {} : { missing }) }
}

/** Why another round was decided on although the checks pass: the promise, or iterations that are to be run anyway. */
async function whatIsMissing({ store }: Parts, { run, seq, recent }: State): Promise<string | undefined> {
  if (recent.at(-1)?.verdict.passed !== true) return undefined
  const newest = await store.read(run, Math.max(0, seq - EVENTS_AFTER_DECISION_MAX))
  const decided = newest.findLast((event) => event.type === 'decision.made' || event.by.role === 'person')
  return decided?.type === 'decision.made' && decided.data.action === 'retry'
    ? textOf(decided.data.message, decided.data.says)
    : undefined
}

/** Enough to find the decision that the iteration which has just begun rests on. */
const EVENTS_AFTER_DECISION_MAX = 10

/** A run without a maximum of its own must not keep a session for ever. */
const ITERATIONS_MAX = 100

function hasMaximum({ config }: State): boolean {
  return config.guards.some((guard) => guard.name === 'maxIterations')
}

function over(state: State): StopOutcome {
  const { status, iterations, question } = outcomeOf(state)
  const asked = question
    ? [
        ...questionInWords(question).text.split('\n'),
        `Answer with: pawl answer ${state.run}; then tell this session to continue.`,
      ]
    : []
  const told = [state.message, ...asked].map((line) => sentence(shortened(line, QUESTION_LENGTH_MAX)))
  const message = `run ${state.run} is ${status} after iteration ${iterations}: ${told.join(' ')}`
  return { status: 'over', state, message }
}

/** Lines that become one need an end each. */
function sentence(line: string): string {
  return /[.!?:…]["')]?$/.test(line) ? line : `${line}.`
}

const QUESTION_LENGTH_MAX = 600
