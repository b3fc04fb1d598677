import type { Guard } from '../core/guard.ts'
import { PawlError } from '../core/pawl-error.ts'
import { isRecorded, type Severity } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'
import { costUnknownWords, spent, tokensUnknownWords } from '../core/spending.ts'
import { duration, money, thousands } from '../core/wording.ts'
import { durationText, inFiles, inPrograms } from '../schema/file-kinds.ts'
import { AMOUNT, byDefault, COUNT, type EntriesOf, settingsSchema, SHARE } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import type { GuardSettings } from './guard-settings.ts'

export interface BudgetOptions {
  /** US dollars, as the agents report them: what nobody reports is not counted, and is said. 0 means no limit, which is the default. */
  readonly costUsdMax?: number
  /** Tokens, in the same way. 0 means no limit, which is the default. */
  readonly tokensMax?: number
  /** Time at work; waiting for a person or a provider does not count. 0 means no limit, which is the default. */
  readonly durationMsMax?: number
  /** Time that the run waits in all, for providers and for other runs under a ceiling; then Pawl asks. 0 means no limit, which is the default. */
  readonly waitMsMax?: number
  /** The share of a limit at which to warn, once. Default 0.8. */
  readonly warnShare?: number
}

/**
 * Warns once when a share of the money, tokens or time is used, and trips when all of it is.
 *
 * @part budget
 */
export function budget(options: BudgetOptions): Guard {
  const { costUsdMax, tokensMax, durationMsMax, waitMsMax, warnShare } = readOptions('budget', SETTINGS, options)
  if (!isRecorded(options) && LIMITS.every((limit) => options[limit] === undefined))
    throw new PawlError('setting.missing', `budget needs at least one of ${LIMITS.join(', ')}: without one nothing is limited.`)
  const limits: readonly Limit[] = [
    {
      topic: 'cost',
      setting: 'costUsdMax',
      max: costUsdMax,
      used: (state) => state.totals.costUsd,
      unknown: ({ totals }) => costUnknownWords(totals),
      say: money,
    },
    {
      topic: 'tokens',
      setting: 'tokensMax',
      max: tokensMax,
      used: (state) => state.totals.tokens,
      unknown: ({ totals }) => tokensUnknownWords(totals),
      say: (count) => `${thousands(count)} tokens`,
    },
    { topic: 'time', setting: 'durationMsMax', max: durationMsMax, used: (state) => state.totals.activeMs, say: duration },
  ]
  const waiting = waitMsMax > 0 ? { waitMsMax } : {}
  return {
    spec: { name: 'budget', v: 1, severity: 'trip', settings: { costUsdMax, tokensMax, durationMsMax, ...waiting, warnShare } },
    warning: 'budget.warned',
    inspect: (state) => limits.flatMap((limit) => inspectLimit(limit, state, warnShare)),
    watch: (state, { used }) => {
      const withUsed = spent(state, used)
      return limits.filter(({ topic }) => topic !== 'time').flatMap((limit) => inspectLimit(limit, withUsed, warnShare))
    },
    remainingUsd: (state) => (costUsdMax > 0 ? costUsdMax - state.totals.costUsd : undefined),
    waitLimit: ({ run, totals: { waitedMs = 0 } }) =>
      waitMsMax === 0
        ? undefined
        : {
            remainingMs: Math.max(0, waitMsMax - waitedMs),
            message: `the run may wait ${duration(waitMsMax)} in all${waitedMs > 0 ? `, and waited ${duration(waitedMs)}` : ''}`,
            fix: `To wait longer: pawl resume ${run} --max-wait ${durationWord(2 * waitMsMax)}`,
          },
    remainingMs: (state) => (durationMsMax > 0 ? Math.max(0, durationMsMax - state.totals.activeMs) : undefined),
  }
}

const SETTINGS = settingsSchema({
  costUsdMax: byDefault(
    inFiles(AMOUNT, {
      name: 'budget_usd',
      flag: '--budget-usd <amount>',
      flagAbout: 'stop when this much money is spent, as the agent reports it',
    }),
    0,
    'What a run may cost in US dollars, as the agent reports it; 0 is no limit',
  ),
  tokensMax: byDefault(
    inFiles(AMOUNT, {
      name: 'budget_tokens',
      kind: COUNT,
      flag: '--budget-tokens <count>',
      flagAbout: 'stop when this many tokens are used',
    }),
    0,
    'How many tokens a run may use, as the agent reports them; 0 is no limit',
  ),
  durationMsMax: byDefault(
    inFiles(AMOUNT, {
      name: 'budget_time',
      kind: durationText(0),
      flag: '--budget-time <duration>',
      flagAbout: 'stop after this much time at work: 90s, 40m, 2h',
    }),
    0,
    "How long a run may work; waiting for you doesn't count; 0 is no limit",
  ),
  waitMsMax: byDefault(
    inFiles(AMOUNT, {
      name: 'max_wait',
      kind: durationText(0),
      flag: '--max-wait <duration>',
      flagAbout: 'ask instead of waiting longer than this in all: 30m, 6h',
    }),
    0,
    'How long a run may wait in all, for providers and under a ceiling, before Pawl asks; 0 is no limit',
  ),
  warnShare: byDefault(inPrograms(SHARE), 0.8, 'The share of a limit at which to warn, once'),
} satisfies EntriesOf<BudgetOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings budget
 */
export const budgetSettings: GuardSettings = { schema: SETTINGS, isLimit: true }

/** "90s" or "30m": as a flag takes it. */
function durationWord(ms: number): string {
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${Math.ceil(ms / 1000)}s`
}

const LIMITS = ['costUsdMax', 'tokensMax', 'durationMsMax', 'waitMsMax'] as const

interface Limit {
  readonly topic: string
  readonly setting: string
  readonly max: number
  readonly used: (state: State) => number
  /** What is not counted, where something is not. */
  readonly unknown?: (state: State) => string | undefined
  readonly say: (amount: number) => string
}

function inspectLimit(limit: Limit, state: State, warnShare: number): readonly Trip[] {
  const used = limit.used(state)
  if (limit.max === 0 || used < limit.max * warnShare) return []
  return [used >= limit.max ? overLimit(limit, state, used) : nearLimit(limit, state, used)]
}

function overLimit(limit: Limit, state: State, used: number): Trip {
  const { topic, setting, max, say } = limit
  const unknown = limit.unknown?.(state)
  const usedUp = `The ${topic} budget is used up:`
  const to = Math.max(max * 2, Math.ceil(used * 1.5 * 100) / 100)
  return {
    ...evidence(limit, state, used, 'trip'),
    message:
      unknown === undefined
        ? `${usedUp} ${say(used)} of ${say(max)}.`
        : `${usedUp} at least ${say(used)} of ${say(max)}; ${unknown}.`,
    hint: `A ${topic} budget of ${say(to)} would let it continue.`,
    raise: { guard: 'budget', setting, to, label: `a ${topic} budget of ${say(to)}` },
  }
}

function nearLimit(limit: Limit, state: State, used: number): Trip {
  const { topic, max, say } = limit
  const unknown = limit.unknown?.(state)
  const ofBudget = `${say(used)} of the ${topic} budget of ${say(max)} is used`
  return {
    ...evidence(limit, state, used, 'warn'),
    message: unknown === undefined ? `${ofBudget}.` : `At least ${ofBudget}; ${unknown}.`,
    hint: 'Finish what is nearly done before anything new.',
  }
}

function evidence(
  limit: Limit,
  state: State,
  used: number,
  severity: Severity,
): Pick<Trip, 'guard' | 'severity' | 'topic' | 'evidence'> {
  const facts = [state.current.ended?.seq ?? state.seq]
  return { guard: 'budget', severity, topic: limit.topic, evidence: { facts, measures: { used, max: limit.max } } }
}
