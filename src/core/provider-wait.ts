import { recordStep } from './conclude.ts'
import type { Definition } from './definition.ts'
import { earliestBack, RESET_MS_MAX, switchAtLimit } from './fallback.ts'
import type { Guard } from './guard.ts'
import { judge } from './judge.ts'
import type { State } from './state.ts'
import type { Step } from './step.ts'
import { withFix } from './wording.ts'

type Limit = NonNullable<State['current']['limit']>

/** At a limit another agent goes on, or it is waited out. With the budget used up neither is done: the work counts as a failed attempt, and the iteration is checked and judged. */
export function waitOrGiveUp(definition: Definition, state: State, limit: Limit): Step {
  const budgets = state.config.guards.map(definition.guard).flatMap(budgetsIn)
  const spent = judge(budgets, state).find((trip) => trip.severity === 'trip' && !state.waivers.includes(trip.guard))
  if (!spent) return switchAtLimit(state, limit) ?? waitForProvider(state, limit)
  const message = `${limit.message} (not waited for: ${spent.message})`
  const failed = { key: limit.key, reason: 'failed', fault: 'agent', message, durationMs: 0 } as const
  return recordStep(state, 'work.failed', failed, limit.seq)
}

/** A budget may stand in an `anyOf`, where it trips by itself. */
function budgetsIn(guard: Guard): readonly Guard[] {
  if (guard.warning === 'budget.warned') return [guard]
  return guard.spec.name === 'anyOf' ? (guard.parts ?? []).flatMap(budgetsIn) : []
}

function waitForProvider(state: State, limit: Limit): Step {
  const { limitWaits } = state.current
  const waitMs = Math.min(WAIT_MS_MIN * 2 ** (limitWaits - 1), WAIT_MS_MAX)
  const isAhead = limit.retryAt !== undefined && limit.retryAt > state.at
  const own = Math.min(isAhead ? limit.retryAt : state.at + waitMs, state.at + RESET_MS_MAX)
  // Where all are at their limits, the first that is free again goes on.
  const until = Math.min(own, earliestBack(state) ?? own)
  const timer = `provider-${state.current.number}-${limitWaits}`
  const message = `Waiting for the provider: ${withFix(limit)}`
  return recordStep(state, 'timer.set', { timer, until, message }, limit.seq)
}

/** Without a reset time: one minute, then twice as long each time up to an hour. */
const WAIT_MS_MIN = 60_000
const WAIT_MS_MAX = 3_600_000
