import type { Folds } from './definition.ts'
import type { Event, EventType, Instant } from './event.ts'
import { answered, decided, iterationEnded, iterationStarted, nudgeGiven, tripRecorded, waived } from './evolve-iteration.ts'
import { withoutSessions, workAnswered } from './evolve-ask.ts'
import {
  checkEnded,
  checkErrored,
  checkStarted,
  observed,
  prepareFailed,
  prepareFinished,
  boxRefused,
  prepareStarted,
  proofMade,
  questionPhrased,
  restored,
  reviewAbandoned,
  reviewed,
  workAbandoned,
  workAsked,
  workFailed,
  workFinished,
  workStarted,
} from './evolve-effect.ts'
import { withUnitMaximum } from './unit.ts'
import { PawlError } from './pawl-error.ts'
import { CHECKPOINTS_MAX, initialState, type StandIn, type State, withCurrent } from './state.ts'
import { actionsWith } from './measures/measures.ts'

/**
 * Folds one event into the state: the core's part first, then the loop's. Pure, and the only way state comes into being.
 * `undefined` is a run that does not exist yet; its first event must be `run.started`. Without the loop's fold the state has no
 * slices.
 */
export function evolveWith(folds: Folds, state: State | undefined, event: Event): State {
  const after = evolve(state, event)
  const fold = folds(after.config.loop)
  if (!fold) return after.slices ? withoutSlices(after) : after
  if (state === undefined) return { ...after, slices: {} }
  return fold(after, event, state)
}

/** Folds many events. */
export function evolveAllWith(folds: Folds, state: State | undefined, events: readonly Event[]): State | undefined {
  return events.reduce<State | undefined>((known, event) => evolveWith(folds, known, event), state)
}

/** What a loop keeps is whole or not there: slices that missed an event are dropped. */
function withoutSlices(state: State): State {
  const { slices: _stale, ...rest } = state
  return rest
}

/** The core's part of the fold. An event of a loop, or of a newer version, only moves the clock. */
export function evolve(state: State | undefined, event: Event): State {
  if (state === undefined) {
    if (event.type !== 'run.started') {
      throw new PawlError(
        'journal.no-start',
        `Run ${event.run} begins with ${event.type} instead of run.started; its journal is damaged.`,
      )
    }
    return initialState(event.run, event.seq, event.at, event.data.config)
  }
  const handler = (handlers as Readonly<Record<string, Handler | undefined>>)[event.type]
  const now = stamped(state, event)
  return handler ? handler(now, event) : now
}

/** Moves the clock. Time passes only while the run works: not while it waits, is paused, or nobody drives it. */
function stamped(state: State, event: Event): State {
  const isWorking = state.status === 'running' && state.timer === undefined
  const until = isWorking ? Math.min(workedUntil(state, event), event.at) : state.at
  const passedMs = Math.max(0, until - state.at)
  const totals = passedMs === 0 ? state.totals : { ...state.totals, activeMs: state.totals.activeMs + passedMs }
  // The next fact of the driver says whether time was spent at work since.
  const now = isWorking && isSaidBeside(event) ? until : event.at
  return { ...state, seq: event.seq, at: Math.max(state.at, now), totals }
}

/** Whoever speaks while nobody may drive, or takes the run up again, says until when somebody did, if known. */
function workedUntil(state: State, event: Event): Instant {
  const isOutside = event.type === 'run.resumed' || isSaidBeside(event)
  const { drivenUntil } = event.type === 'run.resumed' || event.type === 'run.aborted' ? event.data : {}
  return drivenUntil ?? (isOutside ? state.at : event.at)
}

/** A person may speak while nobody drives; another configuration is recorded before anybody continues. */
function isSaidBeside({ type, by }: Event): boolean {
  return by.role === 'person' || (type === 'run.reconfigured' && by.role === 'runner')
}

type Handler = (state: State, event: Event) => State

type Handlers = { [Type in Exclude<EventType, keyof Pawl.LoopEvents>]: (state: State, event: Event<Type>) => State }

const handlers: Handlers = {
  'run.started': (state, event) => {
    throw new PawlError(
      'journal.second-start',
      `Run ${state.run} has a second run.started at seq ${event.seq}; its journal is damaged.`,
    )
  },
  'run.reconfigured': reconfigured,
  'run.bound': bound,
  'run.unbound': unbound,
  'run.paused': (state, event) =>
    state.status === 'running' ? { ...state, status: 'paused', message: event.data.reason } : state,
  'run.resumed': resumed,
  'run.completed': (state, event) => closed(state, 'completed', event.data.message),
  'run.stopped': (state, event) => asked(state, 'stopped', event),
  'run.aborted': (state, event) => closed(state, 'aborted', event.data.reason),
  'run.imported': (state, event) => ({ ...state, status: 'completed', message: event.data.message }),
  'iteration.started': iterationStarted,
  'iteration.ended': iterationEnded,
  'work.started': workStarted,
  'work.finished': workFinished,
  'work.failed': workFailed,
  'work.acted': acted,
  'work.asked': workAsked,
  'work.answered': workAnswered,
  'work.abandoned': workAbandoned,
  'agent.switched': agentSwitched,
  'workspace.observed': observed,
  'workspace.restored': restored,
  'check.started': checkStarted,
  'check.passed': checkEnded,
  'check.failed': checkEnded,
  'check.errored': checkErrored,
  'review.approved': reviewed,
  'review.rejected': reviewed,
  'box.refused': boxRefused,
  'prepare.started': prepareStarted,
  'prepare.finished': prepareFinished,
  'prepare.failed': prepareFailed,
  'proof.made': proofMade,
  'review.abandoned': reviewAbandoned,
  'guard.tripped': tripRecorded,
  'guard.nudged': nudgeGiven,
  'guard.waived': waived,
  'guard.disputed': waived,
  'budget.warned': nudgeGiven,
  'decision.made': decided,
  'checkpoint.created': checkpointCreated,
  'checkpoint.dropped': checkpointDropped,
  'timer.set': (state, event) => ({
    ...state,
    timer: { timer: event.data.timer, since: event.at, until: event.data.until, seq: event.seq },
    message: event.data.message,
  }),
  'timer.fired': timerFired,
  'question.phrased': questionPhrased,
  'escalation.raised': (state, event) => asked(state, 'escalated', event),
  'escalation.answered': answered,
}

/** The wait is over: ask again for what the provider refused. */
function timerFired(state: State, event: Event<'timer.fired'>): State {
  const { timer: fired, ...rest } = state
  const { limit: _over, ...current } = state.current
  // Time after that is nobody's wait: the run may have been driven later.
  const waitedMs = fired ? Math.max(0, Math.min(event.at, fired.until) - fired.since) : 0
  const totals = { ...state.totals, waitedMs: (state.totals.waitedMs ?? 0) + waitedMs }
  return lookAgain({ ...rest, totals, current: { ...current, wokenAt: state.at } }, event.seq)
}

/** What a person's answer lifted stays until a new configuration is given; then a run that is stopped is judged again by it. */
function reconfigured(state: State, event: Event<'run.reconfigured'>): State {
  const { raises: _lifted, expert: _atWork, added, ...held } = withLateChecks(withAgents(state, event), event)
  const { config, message } = event.data
  if (event.by.role === 'loop') return { ...(added ? reopened(held, event.seq) : held), config, message }
  // The new configuration may be the fix, so replaced agents are tried again.
  const { standIns: _before, ...rest } = held
  const { ended, proof } = state.current
  const isAsked = state.question !== undefined && (ended?.verdict.passed === true || proof?.heldOut === 'failed')
  const open = isAsked && !isSameProving(held, event) ? reopened(rest, event.seq) : { ...rest, current: withChecks(held, event) }
  const given = { ...open, config: withUnitMaximum(state, config), given: config, message }
  return state.question ? judgeAgain(given) : given
}

/** Remembers the checks that a run didn't begin with. */
function withLateChecks(state: State, { data }: Event<'run.reconfigured'>): State {
  const known = new Set(checkNames(state.config))
  const late = checkNames(data.config).filter((name) => !known.has(name))
  return late.length === 0 ? state : { ...state, lateChecks: [...new Set([...(state.lateChecks ?? []), ...late])] }
}

function checkNames({ checks }: State['config']): readonly string[] {
  return checks.map(({ settings }) => String(settings['name']))
}

/** Another agent cannot continue in the session of the one that asked; what was answered holds for it as well. */
function withAgents(state: State, { data }: Event<'run.reconfigured'>): State {
  const { replies } = state.current
  if (replies === undefined || agentsIn(state.config) === agentsIn(data.config)) return state
  return withCurrent(state, { replies: withoutSessions(replies) })
}

function agentsIn({ agent, roles }: State['config']): string {
  return JSON.stringify([agent, roles])
}

/** What other checks said says nothing about these: an iteration that is not over is checked by them from the first. */
function withChecks(
  { config, current }: Pick<State, 'config' | 'current'>,
  { seq, data }: Event<'run.reconfigured'>,
): State['current'] {
  const isSame = isSameChecks({ config }, { data })
  return isSame || current.ended ? current : { ...current, checks: [], checkRound: seq }
}

function isSameChecks({ config }: Pick<State, 'config'>, { data }: Pick<Event<'run.reconfigured'>, 'data'>): boolean {
  return JSON.stringify(config.checks) === JSON.stringify(data.config.checks)
}

/** Whether a success would be proved in the same way. */
function isSameProving({ config }: Pick<State, 'config'>, { data }: Pick<Event<'run.reconfigured'>, 'data'>): boolean {
  return provingOf(config) === provingOf(data.config)
}

function provingOf({ checks, proof, isolation }: State['config']): string {
  return JSON.stringify([checks, proof, isolation])
}

/** A pass that was asked about is checked again, by other checks than before: its iteration continues, and nobody works meanwhile. */
function reopened(state: State, seq: number): State {
  const { ended: _over, decision: _made, proof: _old, ...current } = state.current
  return { ...state, recent: state.recent.slice(0, -1), current: { ...current, checks: [], checkRound: seq } }
}

function judgeAgain(state: State): State {
  const { question: _void, answer: _given, ...rest } = state
  const { decision: _old, problem: _gone, asked: _aside, phrased: _words, ...current } = state.current
  return { ...rest, status: 'running', current }
}

/** Another process took over: open effects are no longer under way, and the workspace may have been changed meanwhile. */
function resumed(state: State, event: Event<'run.resumed'>): State {
  const isAsleep = state.status === 'paused'
  // The next events say what became of open work and reviews; a check that was cut short has none.
  const effects = state.current.effects.filter(({ status, kind }) => status !== 'open' || kind === 'work' || kind === 'review')
  const woken: State = isAsleep ? { ...state, status: 'running', message: event.data.reason } : state
  const awake = withCurrent(woken, { effects })
  // A reviewer that was cut short may have edited what it should only look at.
  const isReviewing = effects.some(({ kind, status }) => kind === 'review' && status === 'open')
  if (isReviewing && state.tree) return { ...awake, workspace: 'restore', workspaceCause: event.seq }
  return lookAgain(awake, event.seq)
}

/** The workspace has to be looked at before the run continues, unless it must be restored or the agent's own work is not yet on record. */
function lookAgain(state: State, cause: number): State {
  const { work, observed: seen } = state.current
  const hasUnseenWork = (work.at(-1)?.seq ?? 0) > (seen?.seq ?? 0)
  const isWanted = state.workspace === 'restore' || state.workspace === 'left'
  if (isWanted || hasUnseenWork || state.tree === undefined) return state
  return { ...state, workspace: 'observe', workspaceCause: cause }
}

function asked(state: State, status: 'escalated' | 'stopped', event: Event<'escalation.raised' | 'run.stopped'>): State {
  const { question, trips, message } = event.data
  const review = 'review' in event.data && event.data.review ? { review: event.data.review } : {}
  return { ...state, status, message, question: { seq: event.seq, question, trips, ...review } }
}

function closed(state: State, status: 'completed' | 'aborted', message: string): State {
  if (state.status === 'completed' || state.status === 'aborted') return state
  const { question: _closed, timer: _unset, ...rest } = state
  return { ...rest, status, message }
}

/** The run belongs to this session of an agent from now on. */
function bound(state: State, event: Event<'run.bound'>): State {
  return { ...state, bound: { ...event.data, seq: event.seq } }
}

/** It is nobody's again. Another session that it was given to meanwhile keeps it. */
function unbound(state: State, event: Event<'run.unbound'>): State {
  const { bound: last, ...rest } = state
  const isTheirs = last?.agent === event.data.agent && last.session === event.data.session
  return isTheirs ? rest : state
}

/** The agent did something. */
function acted(state: State, event: Event<'work.acted'>): State {
  const actions = actionsWith(state.measures.actions, event.data.actions, event.seq)
  return { ...state, measures: { ...state.measures, actions } }
}

/** A place to come back to. */
function checkpointCreated(state: State, event: Event<'checkpoint.created'>): State {
  const { checkpoint, snapshot, tree, expiresAt } = event.data
  const made = { checkpoint, seq: event.seq, snapshot, tree, expiresAt }
  return { ...state, checkpoints: [...state.checkpoints, made].slice(-CHECKPOINTS_MAX) }
}

/** It is no longer offered; the journal stays whole. */
function checkpointDropped(state: State, event: Event<'checkpoint.dropped'>): State {
  return { ...state, checkpoints: state.checkpoints.filter(({ checkpoint }) => checkpoint !== event.data.checkpoint) }
}

/** Another agent continues: it gets the same brief that the first could not do. */
function agentSwitched(state: State, event: Event<'agent.switched'>): State {
  const { from, to, reason, until, message } = event.data
  // Who continues now is replaced by nobody.
  const others = (state.standIns ?? []).filter(({ agent }) => agent !== to && agent !== from)
  const standIn: StandIn = { agent: from, by: to, seq: event.seq, ...(until === undefined ? {} : { until }) }
  const standIns = reason === 'limit-over' ? others : [...others, standIn]
  if (reason === 'limit-over') return { ...state, standIns, message }
  const { limit: _passed, problem: _gone, replies, ...rest } = state.current
  const kept = replies === undefined ? {} : { replies: withoutSessions(replies) }
  return { ...state, standIns, message, current: { ...rest, ...kept } }
}
