import type { EffectKey } from './effect.ts'
import type { Usage } from './event-data.ts'
import type { Event } from './event.ts'
import type { State } from './state.ts'

/** The session in which an agent last worked in a role. */
export interface RoleSession {
  readonly role: string
  /** Another agent in the same role cannot go on with it. */
  readonly agent: string
  readonly id: string
  readonly used?: Usage
}

/** How many roles are remembered. */
const SESSIONS_MAX = 20

/** Remembers the session that ended work tells of, or work that was put aside. */
export function withSession(state: State, { by, data }: Event<'work.finished' | 'work.failed' | 'work.asked'>): State {
  const { key, session, sessionUsed } = data
  if (session === undefined) return state
  const role = roleOf(key)
  const seen: RoleSession = {
    role,
    agent: by.name ?? '',
    id: session,
    ...(sessionUsed === undefined ? {} : { used: sessionUsed }),
  }
  const others = (state.sessions ?? []).filter((each) => each.role !== role)
  return { ...state, sessions: [...others, seen].slice(-SESSIONS_MAX) }
}

/** The session that this agent last worked in for this role, since the run or the item of its plan began. */
export function lastSession({ sessions = [] }: State, key: EffectKey, agent: string): RoleSession | undefined {
  const role = roleOf(key)
  return sessions.find((each) => each.role === role && each.agent === agent)
}

/** `coder:coder_a` of `3/coder:coder_a/0`. */
function roleOf(key: EffectKey): string {
  return key.slice(key.indexOf('/') + 1, key.lastIndexOf('/'))
}
