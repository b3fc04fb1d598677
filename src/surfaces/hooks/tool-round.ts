import { ACTIONS_KEPT_MAX } from '../../core/action.ts'
import { effectKey } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import { EVENT_VERSION, type Event } from '../../core/event.ts'
import { evolveAllWith } from '../../core/evolve.ts'
import type { State } from '../../core/state.ts'
import { type Trip, tripTopic } from '../../core/trip.ts'
import { redactedAction, redactFacts } from '../../secrets/filter.ts'
import type { Store } from '../../stores/store.ts'
import { cacheState } from '../../engine/load-state.ts'
import { systemClock } from '../../process/clock.ts'
import { actionGuards } from './action-guards.ts'
import { isOwnTool } from './is-own-tool.ts'
import type { ClaimedRun } from './claimed-run.ts'
import type { HookAnswer } from './hook-answer.ts'
import type { HookCall } from './hook-call.ts'
import { sessionFolds } from './session-folds.ts'

/**
 * Records what the agent just did and asks the guard that looks at single actions. The agent is told of a warning at once; a trip is
 * left to the caller, since to end an iteration takes its checks.
 */
export async function toolRound(store: Store, { claim, state }: ClaimedRun, call: HookCall): Promise<HookAnswer | 'tripped'> {
  const used = call.tools.filter(({ name }) => !isOwnTool(name))
  const actions = await Promise.all(used.slice(-ACTIONS_KEPT_MAX).map(redactedAction))
  if (actions.length === 0 || state.status !== 'running') return { kind: 'pass' }
  const at = systemClock.now()
  const acted: Fact = {
    type: 'work.acted',
    at,
    by: { role: 'agent', name: call.agent },
    data: { key: workKey(state), actions },
  }
  const [clean = acted] = await redactFacts([acted])
  const after = folded(state, [clean])
  const trips = actionGuards(state.config.guards).flatMap((guard) => guard.inspect(after))
  const warned = trips.filter((trip) => trip.severity === 'warn' && !isKnown(after, trip))
  const facts = [clean, ...warned.map((trip) => nudge(trip, at))]
  const answer = await store.append(claim.run, facts, { claim, expectedSeq: state.seq })
  // Someone else wrote first, which only a person may: what was done is then not counted, and nothing is lost but that.
  if (answer.status !== 'appended') return { kind: 'pass' }
  if (isDue(state.seq, facts.length)) await cacheState(store, folded(state, facts), answer.events.at(-1)?.hash ?? '')
  const isTripped = trips.some((trip) => trip.severity === 'trip' && !after.waivers.includes(trip.guard))
  if (isTripped) return 'tripped'
  if (warned.length === 0) return { kind: 'pass' }
  return { kind: 'tell', text: warned.map((trip) => `Pawl: ${trip.message} ${trip.hint}`).join('\n') }
}

/** The work under way, where it was recorded as begun. */
function workKey({ current }: State): string {
  const open = current.effects.find((effect) => effect.kind === 'work' && effect.status === 'open')
  return open?.key ?? effectKey(current.number, 'session')
}

function folded(state: State, facts: readonly Fact[]): State {
  const events = facts.map((fact, index) => ({ ...fact, seq: state.seq + 1 + index, run: state.run, v: EVENT_VERSION }) as Event)
  return evolveAllWith(sessionFolds, state, events) as State
}

function isKnown({ nudged }: State, trip: Trip): boolean {
  return nudged.some(({ topic }) => topic === tripTopic(trip))
}

function nudge(trip: Trip, at: number): Fact {
  return { type: 'guard.nudged', at, by: { role: 'guard', name: trip.guard }, data: trip }
}

/** The state is cached now and then, so that the next hook never reads far back, however long the agent works in one iteration. */
function isDue(seq: number, added: number): boolean {
  return Math.floor((seq + added) / EVENTS_PER_SNAPSHOT) > Math.floor(seq / EVENTS_PER_SNAPSHOT)
}

const EVENTS_PER_SNAPSHOT = 32
