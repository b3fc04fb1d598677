import type { Event } from './event.ts'
import { withoutSessions } from './evolve-ask.ts'
import type { StandIn } from './fallback.ts'
import type { State } from './state.ts'

/** Another agent goes on: what the first could not do is asked for again, with the same brief. */
export function agentSwitched(state: State, event: Event<'agent.switched'>): State {
  const { from, to, reason, until, message } = event.data
  // Who goes on now is replaced by nobody.
  const others = (state.standIns ?? []).filter(({ agent }) => agent !== to && agent !== from)
  const standIn: StandIn = { agent: from, by: to, seq: event.seq, ...(until === undefined ? {} : { until }) }
  const standIns = reason === 'limit-over' ? others : [...others, standIn]
  if (reason === 'limit-over') return { ...state, standIns, message }
  const { limit: _passed, problem: _gone, replies, ...rest } = state.current
  const kept = replies === undefined ? {} : { replies: withoutSessions(replies) }
  return { ...state, standIns, message, current: { ...rest, ...kept } }
}
