import type { EffectKey } from './effect.ts'
import type { SessionUsage, Usage } from './event-data.ts'
import type { State } from './state.ts'

/** The session in which an agent last worked in a role. */
export interface RoleSession {
  readonly role: string
  /** Another agent in the same role cannot go on with it. */
  readonly agent: string
  readonly id: string
  /** What it had used in all when the agent last said so. */
  readonly used?: Usage
  readonly unsettled?: Unsettled
}

/** How many pieces of work ended without a cost, and without all of their tokens. */
export interface UnknownWork {
  readonly unpriced: number
  readonly uncounted: number
}

/** What a session used since the agent last gave its sum: where that adds up, the next one holds it too. */
export interface Unsettled extends UnknownWork {
  /** Tokens that are counted already. */
  readonly tokens: number
}

/** What ended work tells of its session. */
export type SessionWork = Usage & SessionUsage & { readonly key: EffectKey }

/** How it ended: whether it was cut off while it was at work, and what is not known of it. */
export interface WorkEnd {
  readonly isCut: boolean
  readonly unknown: UnknownWork
}

/** How many roles are remembered. */
const SESSIONS_MAX = 20

/**
 * Remembers the session that ended work tells of, or work that was put aside. Work that was cut off before it could tell is taken to be
 * of the session before.
 */
export function withSession(state: State, agent: string, work: SessionWork, { isCut, unknown }: WorkEnd): State {
  const before = goneOn(state, agent, work)
  const id = work.session ?? (isCut ? before?.id : undefined)
  if (id === undefined) return state
  const role = roleOf(work.key)
  const used = work.sessionUsed ?? before?.used
  const seen: RoleSession = {
    role,
    agent,
    id,
    ...(used === undefined ? {} : { used }),
    ...(work.sessionUsed === undefined ? unsettledWith(before?.unsettled, work, unknown) : unsettledBeside(work, unknown)),
  }
  const others = (state.sessions ?? []).filter((each) => each.role !== role)
  return { ...state, sessions: [...others, seen].slice(-SESSIONS_MAX) }
}

/** A sum that was told before the work was cut off holds the tokens of it that are counted, and not the rest. */
function unsettledBeside({ isUsagePartial }: Usage, unknown: UnknownWork): Pick<RoleSession, 'unsettled'> {
  return isUsagePartial ? { unsettled: { tokens: 0, ...unknown } } : {}
}

function unsettledWith(
  { tokens, unpriced, uncounted }: Unsettled = { tokens: 0, unpriced: 0, uncounted: 0 },
  work: Usage,
  unknown: UnknownWork,
): Pick<RoleSession, 'unsettled'> {
  const sum = {
    tokens: tokens + (work.tokens ?? 0),
    unpriced: unpriced + unknown.unpriced,
    uncounted: uncounted + unknown.uncounted,
  }
  return sum.tokens === 0 && sum.unpriced === 0 && sum.uncounted === 0 ? {} : { unsettled: sum }
}

/** Of how many earlier pieces of work this one brings what was not known: it tells what the session used in all, as a difference or because its driver says so. */
export function settledBy(state: State, agent: string, work: SessionWork): UnknownWork {
  const { costUsd = 0, tokens = 0, sessionUsed = {}, settlesSession } = work
  const isDifference = (sessionUsed.costUsd ?? 0) - costUsd > ROUNDING_USD || (tokens > 0 && (sessionUsed.tokens ?? 0) > tokens)
  const { unpriced = 0, uncounted = 0 } = ((isDifference || settlesSession) && goneOn(state, agent, work)?.unsettled) || {}
  return { unpriced: costUsd > 0 ? unpriced : 0, uncounted: sessionUsed.tokens === undefined ? 0 : uncounted }
}

/** Differences are told with nine places. */
const ROUNDING_USD = 1e-8

/** What was known of the session that this work went on with. */
function goneOn(state: State, agent: string, { key, session }: SessionWork): RoleSession | undefined {
  const last = lastSession(state, key, agent)
  return session === undefined || session === last?.id ? last : undefined
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
