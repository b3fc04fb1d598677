import type { Usage } from '../core/event-data.ts'
import type { Guard, WorkSoFar } from '../core/guard.ts'
import type { Severity } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'
import { endingsBy } from '../core/watch-work.ts'
import { money, thousands } from '../core/wording.ts'
import { AMOUNT, byDefault, COUNT, type EntriesOf, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface IterationBudgetOptions {
  /** US dollars, as the agent reports them. 0 means no limit. Default 10. */
  readonly costUsdMax?: number
  /** Tokens, in the same way. 0 means no limit, which is the default. */
  readonly tokensMax?: number
  /** Messages and tool calls of one piece of work. 0 means no limit. Default 500. */
  readonly messagesMax?: number
  /** Default `warn`: the work is ended and checked, and the run continues; `trip` stops the run. */
  readonly severity?: Severity
}

/**
 * Ends an agent's work when one iteration used too much. Whatever its severity, the work ends: no agent works without end.
 *
 * @part iterationBudget
 */
export function iterationBudget(options: IterationBudgetOptions = {}): Guard {
  const { costUsdMax, tokensMax, messagesMax, severity } = readOptions('iterationBudget', SETTINGS, options)
  const limits: readonly Limit[] = [
    { topic: 'cost', setting: 'costUsdMax', max: costUsdMax, used: ({ costUsd = 0 }) => costUsd, say: money },
    {
      topic: 'tokens',
      setting: 'tokensMax',
      max: tokensMax,
      used: ({ tokens = 0 }) => tokens,
      say: (count) => `${thousands(count)} tokens`,
    },
    {
      topic: 'messages',
      setting: 'messagesMax',
      max: messagesMax,
      used: ({ messages }) => messages,
      say: (count) => `${thousands(count)} messages and tool calls`,
    },
  ]
  const exceeded = (state: State, used: Used, as: Severity): readonly Trip[] =>
    limits.filter((limit) => limit.max > 0 && limit.used(used) >= limit.max).map((limit) => over(limit, state, used, as))
  return {
    spec: { name: 'iterationBudget', v: 1, severity, settings: { costUsdMax, tokensMax, messagesMax } },
    inspect: (state) => {
      const trips = exceeded(state, { ...usedIn(state), messages: 0 }, severity)
      const ended = endingsBy(state, 'iterationBudget').map((trip) => ({ ...trip, severity }))
      return trips.length > 0 ? trips : ended
    },
    watch: (state, { used, messages }) => {
      const { costUsd, tokens } = usedIn(state)
      const all = { costUsd: costUsd + (used.costUsd ?? 0), tokens: tokens + (used.tokens ?? 0), messages }
      return exceeded(state, all, 'trip')
    },
    ...(messagesMax > 0 ? { messagesMax } : {}),
    remainingUsd: (state) => (costUsdMax > 0 ? costUsdMax - usedIn(state).costUsd : undefined),
  }
}

const SETTINGS = settingsSchema({
  costUsdMax: byDefault(AMOUNT, 10, 'What one iteration may cost in US dollars, as the agent reports it; 0 is no limit'),
  tokensMax: byDefault(AMOUNT, 0, 'How many tokens one iteration may use, as the agent reports them; 0 is no limit'),
  messagesMax: byDefault(COUNT, 500, 'How many messages and tool calls one piece of work may take; 0 is no limit'),
  severity: severityOf('warn'),
} satisfies EntriesOf<IterationBudgetOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings iterationBudget
 */
export const iterationBudgetSettings: GuardSettings = { schema: SETTINGS, place: 14 }

type Used = Usage & Pick<WorkSoFar, 'messages'>

interface Limit {
  readonly topic: string
  readonly setting: string
  readonly max: number
  readonly used: (used: Used) => number
  readonly say: (amount: number) => string
}

function usedIn({ totals, current: { totalsAtStart } }: State): { readonly costUsd: number; readonly tokens: number } {
  return {
    costUsd: Number((totals.costUsd - totalsAtStart.costUsd).toFixed(9)),
    tokens: totals.tokens - totalsAtStart.tokens,
  }
}

function over({ topic, setting, max, used: amount, say }: Limit, state: State, used: Used, severity: Severity): Trip {
  const seen = amount(used)
  const to = Math.max(max * 2, Math.ceil(seen * 1.5))
  return {
    guard: 'iterationBudget',
    severity,
    topic,
    code: 'iterationBudget.over',
    message: `One iteration took ${say(seen)}; the limit is ${say(max)}.`,
    evidence: { facts: [state.current.ended?.seq ?? state.seq], measures: { used: seen, max } },
    hint: `A limit of ${say(to)} would let it continue: do one small step, and stop when it is done.`,
    raise: { guard: 'iterationBudget', setting, to, label: `up to ${say(to)} in one iteration` },
  }
}
