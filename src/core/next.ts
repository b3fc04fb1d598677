import type { Definition } from './definition.ts'
import { effectKey, type Effect } from './effect.ts'
import type { EventData } from './event-data.ts'
import type { Author, EventType, Fact, Seq } from './event.ts'
import { judge, remainingMs } from './judge.ts'
import { verdictOf } from './measures/verdict-of.ts'
import { outcomeOf } from './outcome-of.ts'
import { raised } from './raised.ts'
import { isDone, type State } from './state.ts'
import type { Step } from './step.ts'
import { type Trip, tripTopic } from './trip.ts'

/**
 * What follows from the state, and nothing else: asked again after every append. Reads top to bottom as one iteration does: people
 * first, then waits, the workspace, the iteration's effects, its end, its judgement.
 */
export function next(definition: Definition, state: State): Step {
  switch (state.status) {
    case 'completed':
    case 'aborted':
    case 'paused':
      return { kind: 'end', outcome: outcomeOf(state) }
    case 'escalated':
    case 'stopped':
      return answeredOrAsked(state)
    default:
      return goingOn(definition, state)
  }
}

function answeredOrAsked(state: State): Step {
  const { answer } = state
  const workspace = workspaceEffect(state)
  if (answer?.kind === 'accept' && workspace) return { kind: 'perform', effects: [workspace] }
  if (answer?.kind === 'accept') {
    const tree = state.tree?.tree ?? ''
    const message = `Accepted by a person: ${answer.label}`
    return record(state, 'loop', 'run.completed', { iteration: state.current.number, tree, message }, answer.seq)
  }
  if (answer?.kind === 'abort')
    return record(state, 'loop', 'run.aborted', { reason: `Chosen by a person: ${answer.label}` }, answer.seq)
  return state.status === 'escalated' ? { kind: 'wait', for: 'person' } : { kind: 'end', outcome: outcomeOf(state) }
}

function goingOn(definition: Definition, state: State): Step {
  if (state.raises) {
    const { config, message } = raised(state.config, state.raises)
    return record(state, 'loop', 'run.reconfigured', { config, message })
  }
  if (state.timer) return { kind: 'wait', for: 'timer', until: state.timer.until }
  const workspace = workspaceEffect(state)
  if (workspace) return { kind: 'perform', effects: [workspace] }
  const { current } = state
  if (current.ended || current.problem) return current.decision ? afterDecision(state) : judged(definition, state)
  if (current.limit) return limited(definition, state, current.limit)
  const effects = wanted(definition, state)
  if (effects.length > 0) return { kind: 'perform', effects }
  return current.number === 0 ? startIteration(state, 1) : endIteration(state)
}

/** After a crash half-done work is undone; after a pause a person's edits are taken as they are. */
function workspaceEffect(state: State): Effect | undefined {
  const { number: iteration } = state.current
  const key = (role: string): string => effectKey(iteration, role, state.workspaceCause)
  if (state.workspace === 'restore' && state.tree)
    return { kind: 'restore', key: key('restore'), iteration, snapshot: state.tree.snapshot }
  if (state.workspace === 'observe') return { kind: 'observe', key: key('person'), iteration, by: 'person' }
  return undefined
}

/** The loop's wishes, less what is done, within the time that is left. */
function wanted(definition: Definition, state: State): readonly Effect[] {
  const effects = definition.loop(state.config.loop).effects(state)
  const open = effects.filter((effect) => !isDone(state, effect.key))
  const deadlineMs = remainingMs(state.config.guards.map(definition.guard), state)
  if (deadlineMs === undefined) return open
  return open.map((effect) => (effect.kind === 'work' ? { ...effect, deadlineMs } : effect))
}

/** With the budget used up a limit is not waited out: the work counts as a failed attempt, and the iteration is checked and judged. */
function limited(definition: Definition, state: State, limit: NonNullable<State['current']['limit']>): Step {
  const budgets = state.config.guards.map(definition.guard).filter((guard) => guard.warning === 'budget.warned')
  const spent = judge(budgets, state).find((trip) => trip.severity === 'trip' && !state.waivers.includes(trip.guard))
  if (!spent) return waitForProvider(state, limit)
  const message = `${limit.message} (not waited for: ${spent.message})`
  return record(
    state,
    'loop',
    'work.failed',
    { key: limit.key, reason: 'failed', fault: 'agent', message, durationMs: 0 },
    limit.seq,
  )
}

function waitForProvider(state: State, limit: NonNullable<State['current']['limit']>): Step {
  const { limitWaits } = state.current
  const waitMs = Math.min(WAIT_MS_MIN * 2 ** (limitWaits - 1), WAIT_MS_MAX)
  const isAhead = limit.retryAt !== undefined && limit.retryAt > state.at
  const until = Math.min(isAhead ? limit.retryAt : state.at + waitMs, state.at + WAIT_MS_LONGEST)
  const timer = `provider-${state.current.number}-${limitWaits}`
  return record(state, 'loop', 'timer.set', { timer, until, message: `Waiting for the provider: ${limit.message}` }, limit.seq)
}

/** Without a reset time: one minute, then twice as long each time up to an hour. A stated reset time is trusted up to eight days. */
const WAIT_MS_MIN = 60_000
const WAIT_MS_MAX = 3_600_000
const WAIT_MS_LONGEST = 8 * 24 * 3_600_000

function startIteration(state: State, iteration: number): Step {
  return record(state, 'loop', 'iteration.started', { iteration })
}

function endIteration(state: State): Step {
  const { current, totals } = state
  return record(state, 'loop', 'iteration.ended', {
    iteration: current.number,
    verdict: verdictOf(current.checks, state.measures.testsMax),
    tree: current.observed?.tree ?? state.tree?.tree ?? '',
    filesChanged: current.observed?.filesChanged ?? 0,
    durationMs: totals.activeMs - current.totalsAtStart.activeMs,
    costUsd: totals.costUsd - current.totalsAtStart.costUsd,
    tokens: totals.tokens - current.totalsAtStart.tokens,
  })
}

/** Guards say what is true, the loop says what to do, and both are recorded with the facts they rest on. */
function judged(definition: Definition, state: State): Step {
  const guards = state.config.guards.map(definition.guard)
  const trips = state.current.problem ? [] : judge(guards, state)
  const tripped = trips.filter((trip) => trip.severity === 'trip')
  const deciding = tripped.filter((trip) => !state.waivers.includes(trip.guard))
  const decision = definition.loop(state.config.loop).decide(state, deciding)
  const iteration = state.current.number
  const warning = new Map(guards.map((guard) => [guard.spec.name, guard.warning ?? ('guard.nudged' as const)]))
  const facts: Fact[] = [
    ...tripped.map((trip) => fact(state, { role: 'guard', name: trip.guard }, 'guard.tripped', trip)),
    ...trips
      .filter((trip) => trip.severity === 'warn' && !state.nudged.includes(tripTopic(trip)))
      .map((trip) => fact(state, { role: 'guard', name: trip.guard }, warning.get(trip.guard) ?? 'guard.nudged', trip)),
    fact(state, LOOP, 'decision.made', {
      iteration,
      action: decision.action,
      message: decision.message,
      basis: decision.basis,
      trips: trips.map(tripTopic),
    }),
    ...consequence(state, decision, deciding),
  ]
  return { kind: 'record', facts }
}

function consequence(
  state: State,
  decision: ReturnType<ReturnType<Definition['loop']>['decide']>,
  trips: readonly Trip[],
): readonly Fact[] {
  const iteration = state.current.number
  const { message } = decision
  if (decision.action === 'proceed') {
    return [fact(state, LOOP, 'run.completed', { iteration, tree: state.tree?.tree ?? '', message })]
  }
  if (decision.action === 'escalate')
    return [fact(state, LOOP, 'escalation.raised', { iteration, message, trips, question: decision.question })]
  if (decision.action === 'stop')
    return [fact(state, LOOP, 'run.stopped', { iteration, message, trips, question: decision.question })]
  return []
}

/** Reached when a decision lets the run go on: at once, or once a person said so. */
function afterDecision(state: State): Step {
  if (state.current.decision?.action === 'wait') return { kind: 'wait', for: 'review' }
  return startIteration(state, state.current.number + 1)
}

const LOOP: Author = { role: 'loop' }

function fact<Type extends EventType>(state: State, by: Author, type: Type, data: EventData[Type], because?: Seq): Fact {
  return { type, at: state.at, by, data, ...(because === undefined ? {} : { because }) } as unknown as Fact
}

function record<Type extends EventType>(state: State, role: 'loop', type: Type, data: EventData[Type], because?: Seq): Step {
  return { kind: 'record', facts: [fact(state, { role }, type, data, because)] }
}
