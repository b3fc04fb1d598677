import type { Effect } from '../core/effect.ts'
import type { State } from '../core/state.ts'

/**
 * A look at the folder where the agent's own session works in it all the time, hooks and MCP tools alike: what changed since the last
 * look is held against the session, also where a person answered meanwhile. An edit of a person that looks like tampering is asked
 * about, which costs less than tampering that is not. What it changes while checks run is not theirs.
 */
export function asTheSessions(effect: Effect, { current }: State): Effect {
  if (effect.kind === 'check' && effect.isLast) {
    const { isLast: _left, ...check } = effect
    return check
  }
  if (effect.kind !== 'observe' || effect.by !== 'person') return effect
  return { ...effect, by: current.work.length === 0 ? 'agent' : 'session' }
}
