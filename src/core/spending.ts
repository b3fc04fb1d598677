import { type RoleSession, type State, type Totals, type UnknownWork, withCurrent } from './state.ts'
import type { EffectKey, SessionUsage, Usage } from './event-data.ts'
import { counted } from './wording.ts'

/** What a session used since the agent last gave its total: if totals add up, the next one includes it. */
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
function withSession(state: State, agent: string, work: SessionWork, { isCut, unknown }: WorkEnd): State {
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

/** A total reported before the work was cut off has its counted tokens, and not the rest. */
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

/** How many earlier pieces of work this one completes: it reports what the session used in all, as a difference or because its driver says so. */
function settledBy(state: State, agent: string, work: SessionWork): UnknownWork {
  const { costUsd = 0, tokens = 0, sessionUsed = {}, settlesSession } = work
  const isDifference = (sessionUsed.costUsd ?? 0) - costUsd > ROUNDING_USD || (tokens > 0 && (sessionUsed.tokens ?? 0) > tokens)
  const { unpriced = 0, uncounted = 0 } = ((isDifference || settlesSession) && goneOn(state, agent, work)?.unsettled) || {}
  return { unpriced: costUsd > 0 ? unpriced : 0, uncounted: sessionUsed.tokens === undefined ? 0 : uncounted }
}

/** Differences have nine decimal places. */
const ROUNDING_USD = 1e-8

/** What was known of the session that this work continued with. */
function goneOn(state: State, agent: string, { key, session }: SessionWork): RoleSession | undefined {
  const last = lastSession(state, key, agent)
  return session === undefined || session === last?.id ? last : undefined
}

/** The session that this agent last worked in for this role, since the run or the unit of work began. */
export function lastSession({ sessions = [] }: State, key: EffectKey, agent: string): RoleSession | undefined {
  const role = roleOf(key)
  return sessions.find((each) => each.role === role && each.agent === agent)
}

/** `coder:coder_a` of `3/coder:coder_a/0`. */
function roleOf(key: EffectKey): string {
  return key.slice(key.indexOf('/') + 1, key.lastIndexOf('/'))
}

/**
 * Counts what a piece of work used, and remembers its session. What is not known of it comes with a later sum of the same session, or
 * never.
 */
export function workSpent(state: State, agent: string, work: SessionWork, isCut = false): State {
  const paid = spent(state, work)
  const settled = withSettled(paid, settledBy(state, agent, work))
  const remembered = withSession(settled, agent, work, { isCut, unknown: unknownOf(work) })
  return (work.tokens ?? 0) > 0 || (work.costUsd ?? 0) > 0 ? withServed(remembered, agent) : remembered
}

function withSettled(state: State, { unpriced, uncounted }: UnknownWork): State {
  if (unpriced === 0 && uncounted === 0) return state
  const { settled = { unpriced: 0, uncounted: 0 } } = state.current
  const all = { unpriced: settled.unpriced + unpriced, uncounted: settled.uncounted + uncounted }
  return withUnknown(withCurrent(state, { settled: all }), { unpriced: -unpriced, uncounted: -uncounted })
}

/** Remembers that a provider has served an agent, or a review. */
export function withServed(state: State, name: string): State {
  const { served = [] } = state
  return served.includes(name) ? state : { ...state, served: [...served, name] }
}

/** Adds what was used, and counts the work of which that is not known, or not wholly. */
export function spent(state: State, usage: Usage): State {
  const { costUsd = 0, tokens = 0, isUsagePartial, isCostEstimated } = usage
  if (costUsd === 0 && tokens === 0 && !isUsagePartial) return state
  // Three times thirty cents are ninety cents: what binary fractions add is no money.
  const sum = Number((state.totals.costUsd + costUsd).toFixed(9))
  const estimated = isCostEstimated && costUsd > 0 ? { isEstimated: true as const } : {}
  const totals = { ...state.totals, costUsd: sum, tokens: state.totals.tokens + tokens, ...estimated }
  return withUnknown({ ...state, totals }, unknownOf(usage))
}

/** An agent that tells 0 for its tokens does not know their price, and money without tokens is for some that it did not count. */
function unknownOf({ costUsd = 0, tokens = 0, isUsagePartial }: Usage): UnknownWork {
  return {
    unpriced: isUsagePartial || (tokens > 0 && costUsd === 0) ? 1 : 0,
    uncounted: isUsagePartial || (costUsd > 0 && tokens === 0) ? 1 : 0,
  }
}

function withUnknown(state: State, more: UnknownWork): State {
  if (more.unpriced === 0 && more.uncounted === 0) return state
  const { unpriced: _before, uncounted: _too, ...totals } = state.totals
  const unpriced = Math.max(0, (state.totals.unpriced ?? 0) + more.unpriced)
  const uncounted = Math.max(0, (state.totals.uncounted ?? 0) + more.uncounted)
  return {
    ...state,
    totals: { ...totals, ...(unpriced === 0 ? {} : { unpriced }), ...(uncounted === 0 ? {} : { uncounted }) },
  }
}

/** What a run took, as reported. Figures that nobody reported are absent. */
export interface Spent {
  /** Absent if no agent reported a cost. */
  readonly costUsd?: number
  /** Set when some of the work has no known cost: the run cost more than `costUsd`, or an unknown amount if that is absent. */
  readonly isCostPartial?: true
  /** Set when some of it is tokens at the prices of pawl.yaml. */
  readonly isCostEstimated?: true
  /** Absent if no agent reported any. */
  readonly tokens?: number
  /** Set when the tokens of some of the work are not known: the run took more than `tokens`, or nobody knows how many. */
  readonly areTokensPartial?: true
  /** Time at work; waiting for a person or a provider does not count. */
  readonly activeMs: number
}

/** What the totals of a run say of what it took. */
export function spentOf({ costUsd, tokens, activeMs, unpriced = 0, uncounted = 0, isEstimated }: Totals): Spent {
  return {
    ...(costUsd === 0 ? {} : { costUsd }),
    ...(unpriced > 0 ? { isCostPartial: true } : {}),
    ...(isEstimated ? { isCostEstimated: true } : {}),
    ...(tokens === 0 ? {} : { tokens }),
    ...(uncounted > 0 ? { areTokensPartial: true } : {}),
    activeMs,
  }
}

/** The totals of a run as they are: work under way, or cut off when its runner died, used more than it has reported. */
export function totalsSoFar({ totals, current }: Pick<State, 'totals' | 'current'>): Totals {
  const open = current.effects.filter(({ status, tellsUsage }) => status === 'open' && tellsUsage).length
  if (open === 0) return totals
  return { ...totals, unpriced: (totals.unpriced ?? 0) + open, uncounted: (totals.uncounted ?? 0) + open }
}

/** The same of several runs together. */
export function spentTogether(all: readonly Totals[]): Spent {
  const sum = (amount: (totals: Totals) => number): number => all.reduce((total, each) => total + amount(each), 0)
  return spentOf({
    // What binary fractions add is no money.
    costUsd: Number(sum(({ costUsd }) => costUsd).toFixed(9)),
    tokens: sum(({ tokens }) => tokens),
    activeMs: sum(({ activeMs }) => activeMs),
    unpriced: sum(({ unpriced = 0 }) => unpriced),
    uncounted: sum(({ uncounted = 0 }) => uncounted),
    ...(all.some(({ isEstimated }) => isEstimated) ? { isEstimated: true } : {}),
  })
}

/** "the cost of 2 pieces of work is not known"; nothing if all of it is. */
export function costUnknownWords({ unpriced = 0 }: Pick<Totals, 'unpriced'>): string | undefined {
  return unpriced === 0 ? undefined : `the cost of ${pieces(unpriced)} of work is not known`
}

/** "the tokens of 2 pieces of work are not all known"; nothing if they are. */
export function tokensUnknownWords({ uncounted = 0 }: Pick<Totals, 'uncounted'>): string | undefined {
  return uncounted === 0 ? undefined : `the tokens of ${pieces(uncounted)} of work are not all known`
}

function pieces(count: number): string {
  return count === 1 ? 'one piece' : counted(count, 'piece')
}

/** The most that one piece of work is taken to have cost, in dollars. A higher figure is wrong. */
export const COST_USD_MAX = 1_000_000

/** The most tokens that one piece of work is taken to have used. */
export const TOKENS_MAX = 1_000_000_000_000

/** Whether it can be what something cost: what cannot would poison every sum after it, or pay the budget back. */
export function isCost(value: unknown): value is number {
  return isWithin(value, COST_USD_MAX)
}

/** Whether it can be how many tokens were used. */
export function isTokenCount(value: unknown): value is number {
  return isWithin(value, TOKENS_MAX)
}

/** Whether every amount that it tells can be one. */
export function isSound({ costUsd = 0, tokens = 0 }: Usage): boolean {
  return isCost(costUsd) && isTokenCount(tokens)
}

/** The figures reported there, without impossible amounts: then more was used than is known. */
export function soundUsage<Told extends Usage>(told: Told): Told {
  if (isSound(told)) return told
  const { costUsd, tokens, ...rest } = told
  return {
    ...rest,
    ...(isCost(costUsd) ? { costUsd } : {}),
    ...(isTokenCount(tokens) ? { tokens } : {}),
    isUsagePartial: true,
  } as unknown as Told
}

function isWithin(value: unknown, max: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= max
}
