import { agentName, type PartSpec } from './run-config.ts'
import { concluded, LOOP, recordStep } from './conclude.ts'
import type { Author, Fact, Instant } from './event.ts'
import type { Problem, State } from './state.ts'
import type { Step } from './step.ts'
import { duration, shortened, withFix } from './wording.ts'
import type { Definition } from './definition.ts'
import type { Guard } from './guard.ts'
import { judge } from './judge.ts'

type Limit = NonNullable<State['current']['limit']>

/** How far ahead a reset may be for it to be waited for if nothing else is said and another agent could step in. */
export const NEAR_MS_MAX = 10 * 60_000

/** How often that is believed in one iteration: a limit that doesn't end when it says so won't end soon. */
const NEAR_WAITS_MAX = 2

/** After how long an agent is tried again whose provider did not say when its limit is over. */
export const TRIED_AGAIN_MS = 60 * 60_000

/** A stated reset time is trusted up to eight days. */
const RESET_MS_MAX = 8 * 24 * 3_600_000

/** Who works in the place of an agent now: itself, its stand-in, or the stand-in's stand-in. */
export function agentNow({ standIns = [] }: Pick<State, 'standIns'>, name: string): string {
  let now = name
  // No agent replaces its own replacement: the chain is at most as long as the list.
  for (let steps = 0; steps < standIns.length; steps++) now = standIns.find(({ agent }) => agent === now)?.by ?? now
  return now
}

/** The agent that a fact speaks of: its author, or the one that gave a review. Nothing if no other could step in. */
export function agentBehind(state: State, { role, name }: Author): { readonly agent?: string } {
  if (!state.config.fallbacks || name === undefined) return {}
  if (role !== 'check') return { agent: name }
  const reviewer = state.config.checks.find(({ settings }) => settings['name'] === name)?.settings['agent']
  return reviewer === undefined ? {} : { agent: agentNow(state, agentName(reviewer as unknown as PartSpec)) }
}

/**
 * The step to the next agent at a provider's limit. Nothing if it is to be waited for: as configured, because nobody is left, or, where
 * nothing is configured, because its end is known and near, and was not put off again and again.
 */
function switchAtLimit(state: State, { agent, seq, retryAt, message }: Limit): Step | undefined {
  const { onLimit } = state.config
  const to = agent === undefined || onLimit === 'wait' ? undefined : nextInLine(state, agent)
  if (agent === undefined || to === undefined) return undefined
  const aheadMs = retryAt === undefined ? 0 : retryAt - state.at
  const isNear = aheadMs > 0 && aheadMs <= NEAR_MS_MAX && state.current.limitWaits <= NEAR_WAITS_MAX
  if (onLimit === undefined && isNear) return undefined
  const until = state.at + (aheadMs > 0 ? Math.min(aheadMs, RESET_MS_MAX) : TRIED_AGAIN_MS)
  const data = { from: agent, to, reason: 'provider-limit', message: sentence(to, agent, message), until } as const
  return recordStep(state, 'agent.switched', data, seq)
}

/** The step to the next agent when one cannot work here at all. Nothing if nobody is left: then a person is asked. */
export function switchAtProblem(state: State, { agent, seq, message }: Problem): Step | undefined {
  const to = agent === undefined ? undefined : nextInLine(state, agent)
  if (agent === undefined || to === undefined) return undefined
  const data = { from: agent, to, reason: 'unavailable', message: sentence(to, agent, message) } as const
  return recordStep(state, 'agent.switched', data, seq)
}

/** Before an iteration begins, and after a wait: who was replaced because of a limit that is over by `at` is tried again. */
export function backFacts(state: State, at: Instant = state.at): readonly Fact[] {
  const { standIns = [] } = state
  return standIns
    .filter(({ until }) => until !== undefined && until <= at)
    .map(({ agent, seq }) => {
      // That the time came is known, and no more: nobody has asked its provider yet.
      const message = `${agent} is tried again.`
      const data = { from: agentNow(state, agent), to: agent, reason: 'limit-over', message } as const
      return concluded(state, LOOP, 'agent.switched', data, seq)
    })
}

/** The first moment at which one of those works again who could take over, after `state.at`; nothing if nobody will. */
function earliestBack({ standIns = [], config, at }: State): Instant | undefined {
  if (config.onLimit === 'wait') return undefined
  const ahead = standIns.flatMap(({ until }) => (until !== undefined && until > at ? [until] : []))
  return ahead.length === 0 ? undefined : Math.min(...ahead)
}

/** What happened in full, the failure says that the switch answers to. */
function sentence(to: string, from: string, message: string): string {
  return `${to} continues for ${from}: ${shortened(message, REASON_LENGTH_MAX)}`
}

const REASON_LENGTH_MAX = 120

/** Those it replaces, directly or not, come first, since they were named first; then the others in their order. */
function nextInLine(state: State, failed: string): string | undefined {
  const { standIns = [], config, at } = state
  const before = standIns.map(({ agent }) => agent).filter((agent) => agentNow(state, agent) === failed)
  const isFree = (name: string): boolean => {
    const replaced = standIns.find(({ agent }) => agent === name)
    return name !== failed && (!replaced || (replaced.until !== undefined && replaced.until <= at))
  }
  return [...before, ...(config.fallbacks ?? []).map(agentName)].find(isFree)
}

/** At a limit another agent continues, or it is waited out. With the budget used up neither is done: the work counts as a failed attempt, and the iteration is checked and judged. */
export function waitOrGiveUp(definition: Definition, state: State, limit: Limit): Step {
  const budgets = state.config.guards.map(definition.guard).flatMap(budgetsIn)
  const spent = judge(budgets, state).find((trip) => trip.severity === 'trip' && !state.waivers.includes(trip.guard))
  if (!spent) return switchAtLimit(state, limit) ?? waitOrAsk(definition, state, limit)
  const message = `${limit.message} (not waited for: ${spent.message})`
  const failed = { key: limit.key, reason: 'failed', fault: 'agent', message, durationMs: 0 } as const
  return recordStep(state, 'work.failed', failed, limit.seq)
}

/** A wait that would end after what a guard allows isn't begun: a person is asked at once. */
function waitOrAsk(definition: Definition, state: State, limit: Limit): Step {
  const until = waitUntil(state, limit)
  const limits = state.config.guards.flatMap((spec) => definition.guard(spec).waitLimit?.(state) ?? [])
  const short = limits.find(({ remainingMs }) => until - state.at > remainingMs)
  if (!short) return waitForProvider(state, limit, until)
  const message = `${limit.message} (not waited for another ${duration(until - state.at)}: ${short.message})`
  const fix = [limit.fix, short.fix].filter((each) => each !== undefined).join(' ')
  const whose = limit.isCeiling ? ({ isCeiling: true } as const) : {}
  const asks = { key: limit.key, reason: 'failed', fault: 'environment', message, fix, ...whose, durationMs: 0 } as const
  return recordStep(state, 'work.failed', asks, limit.seq)
}

/** A budget may be in an `anyOf`, where it trips by itself. */
function budgetsIn(guard: Guard): readonly Guard[] {
  if (guard.warning === 'budget.warned') return [guard]
  return guard.spec.name === 'anyOf' ? (guard.parts ?? []).flatMap(budgetsIn) : []
}

function waitUntil(state: State, limit: Limit): Instant {
  const { limitWaits } = state.current
  const waitMs = Math.min(WAIT_MS_MIN * 2 ** (limitWaits - 1), WAIT_MS_MAX)
  const isAhead = limit.retryAt !== undefined && limit.retryAt > state.at
  const own = Math.min(isAhead ? limit.retryAt : state.at + waitMs, state.at + RESET_MS_MAX)
  // Where all are at their limits, the first that is free again continues.
  return Math.min(own, earliestBack(state) ?? own)
}

function waitForProvider(state: State, limit: Limit, until: Instant): Step {
  const timer = `provider-${state.current.number}-${state.current.limitWaits}`
  const message = `Waiting for ${limit.isCeiling ? 'another run' : 'the provider'}: ${withFix(limit)}`
  return recordStep(state, 'timer.set', { timer, until, message }, limit.seq)
}

/** Without a reset time: one minute, then twice as long each time up to an hour. */
const WAIT_MS_MIN = 60_000
const WAIT_MS_MAX = 3_600_000
