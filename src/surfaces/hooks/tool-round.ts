import { withFacts } from '../../core/advance.ts'
import { ACTIONS_KEPT_MAX, isSameAction } from '../../core/action.ts'
import { effectKey } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { type Trip, tripTopic } from '../../core/trip.ts'
import { redactFacts } from '../../journal/redact-facts.ts'
import { redactedAction } from '../../secrets/filter.ts'
import type { Session } from '../../engine/session.ts'
import { systemClock } from '../../process/clock.ts'
import type { HookAnswer, HookCall } from './protocol.ts'
import type { GuardSpec } from '../../core/run-config.ts'

/**
 * Records what the agent just did and asks the guard that looks at single actions. The agent hears of a warning at once; a trip is
 * left to the caller, since to end an iteration takes its checks. Nothing is concluded here.
 */
export async function toolRound(session: Session, call: HookCall): Promise<HookAnswer | 'tripped'> {
  const used = call.tools.filter(({ name }) => !isOwnTool(name))
  const actions = await Promise.all(used.slice(-ACTIONS_KEPT_MAX).map(redactedAction))
  if (actions.length === 0) return { kind: 'pass' }
  let warned: readonly Trip[] = []
  let isTripped = false
  await session.record(async (state) => {
    if (state?.status !== 'running') return []
    const at = systemClock.now()
    const by = { role: 'agent', name: call.agent } as const
    const acted = await redactFacts([{ type: 'work.acted', at, by, data: { key: workKey(state), actions } }])
    const after = withFacts(state, acted)
    const trips = await actionTrips(after)
    warned = trips.filter((trip) => trip.severity === 'warn' && !isKnown(after, trip))
    isTripped = trips.some((trip) => trip.severity === 'trip' && !after.waivers.includes(trip.guard))
    return [...acted, ...warned.map((trip) => nudge(trip, at))]
  })
  if (isTripped) return 'tripped'
  if (warned.length === 0) return { kind: 'pass' }
  return { kind: 'tell', text: warned.map((trip) => `Pawl: ${trip.message} ${trip.hint}`).join('\n') }
}

/** The work under way, where it was recorded as begun. */
function workKey({ current }: State): string {
  const open = current.effects.find((effect) => effect.kind === 'work' && effect.status === 'open')
  return open?.key ?? effectKey(current.number, 'session')
}

function isKnown({ nudged }: State, trip: Trip): boolean {
  return nudged.some(({ topic }) => topic === tripTopic(trip))
}

function nudge(trip: Trip, at: number): Fact {
  return { type: 'guard.nudged', at, by: { role: 'guard', name: trip.guard }, data: trip }
}

/** What the guards that look at single actions say, alone or on a ladder; all others need the end of the iteration. */
async function actionTrips(state: State): Promise<readonly Trip[]> {
  const [newest, ...earlier] = state.measures.actions.last.filter(({ isWaiting }) => !isWaiting).toReversed()
  // Most steps are the first of their kind. Only a repeated one is worth loading the guards.
  if (!newest || !earlier.some((action) => isSameAction(action, newest))) return []
  const { guardFrom } = await import('../../guards/guard-from.ts')
  return state.config.guards.filter(isOfActions).flatMap((spec) => guardFrom(spec).inspect(state))
}

function isOfActions({ name, parts = [] }: GuardSpec): boolean {
  return name === 'repeatedAction' || (name === 'ladder' && parts.some(isOfActions))
}

/** Whether the tool is one of Pawl's own: those are counted as iterations. */
function isOwnTool(name: string): boolean {
  return /^mcp_.*pawl/i.test(name)
}
