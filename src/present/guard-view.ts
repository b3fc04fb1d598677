import { freshIterations, isUntouched, lastWhile } from '../core/measures/last-iterations.ts'
import type { GuardSpec } from '../core/run-config.ts'
import { totalsSoFar } from '../core/spending.ts'
import type { State } from '../core/state.ts'
import { attemptNumber, iterationsMaxIn } from '../core/unit.ts'
import { duration, money, thousands } from '../core/wording.ts'
import { configView } from './config-view.ts'

/** A guard or limit of a run, and how near it is to stopping it. */
export interface GuardView {
  readonly guard: string
  /** With its settings, in words. */
  readonly words: string
  readonly severity: GuardSpec['severity']
  /** Whether you allowed it to be passed once. */
  readonly isWaived: boolean
  /** What it counts; empty for a guard that doesn't count anything. */
  readonly near: readonly Nearness[]
}

/** How much of a limit is used. */
export interface Nearness {
  /** "iterations", "cost", "failures in a row without a better score". */
  readonly what: string
  readonly used: number
  readonly max: number
  /** "2 of 3", "$0.40 of $5.00", "at least $0.40 of $5.00". */
  readonly words: string
}

/** The guards of a run, in the order of its configuration. */
export function guardViews(state: State): readonly GuardView[] {
  const words = configView(state.config).guards
  return state.config.guards.map((spec, index) => ({
    guard: spec.name,
    words: words[index] ?? spec.name,
    severity: spec.severity,
    isWaived: state.waivers.includes(spec.name),
    near: COUNTED[spec.name]?.(state, spec) ?? [],
  }))
}

type Counting = (state: State, spec: GuardSpec) => readonly Nearness[]

const COUNTED: Readonly<Record<string, Counting>> = {
  maxIterations: ({ unit, current }, spec) => {
    const used = attemptNumber(unit, current.number)
    const max = iterationsMaxIn([spec], used)
    return max === undefined ? [] : [counting('iterations', used, max)]
  },
  budget: (state, { settings }) => {
    const { costUsd, tokens, activeMs, unpriced = 0, uncounted = 0, waitedMs = 0 } = totalsSoFar(state)
    return [
      amount('cost', costUsd, settings['costUsdMax'], money, unpriced > 0),
      amount('tokens', tokens, settings['tokensMax'], thousands, uncounted > 0),
      amount('time at work', activeMs, settings['durationMsMax'], duration),
      amount('waiting', waitedMs, settings['waitMsMax'], duration),
    ].flat()
  },
  deadline: ({ at, startedAt }, { settings: { until, afterMs } }) => {
    const end = typeof until === 'number' ? until : startedAt + Number(afterMs ?? 0)
    return amount('time until the deadline', at - startedAt, end - startedAt, duration)
  },
  circuitBreaker: ({ measures }, { settings }) =>
    failures('without a better score', measures.betterScore.failures, settings['failuresMax']),
  sameFailure: ({ measures }, { settings }) =>
    failures('with the same failure', measures.sameFailure.count, settings['repeatsMin']),
  emptyIterations: (state, { settings }) =>
    failures(
      'without a change',
      lastWhile(freshIterations(state), (iteration) => isUntouched(state, iteration)).length,
      settings['iterationsMin'],
    ),
}

function failures(how: string, used: number, max: unknown): readonly Nearness[] {
  return typeof max === 'number' ? [counting(`iterations in a row ${how}`, used, max)] : []
}

function counting(what: string, used: number, max: number): Nearness {
  return { what, used, max, words: `${thousands(used)} of ${thousands(max)}` }
}

function amount(
  what: string,
  used: number,
  max: unknown,
  say: (amount: number) => string,
  isPartial = false,
): readonly Nearness[] {
  if (typeof max !== 'number' || max <= 0) return []
  return [{ what, used, max, words: `${isPartial ? 'at least ' : ''}${say(used)} of ${say(max)}` }]
}
