import { type Action, isSameAction } from '../core/action.ts'
import type { Guard } from '../core/guard.ts'
import { comparable, freshIterations } from '../core/measures/last-iterations.ts'
import type { IterationSummary, State } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'
import type { Severity } from '../core/run-config.ts'
import { byDefault, type EntriesOf, oneOf, settingsSchema, someOf, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

/** What can go back and forth: the files, what fails, or the agent's calls. */
export type OscillationKind = 'trees' | 'failures' | 'actions'

export interface OscillationOptions {
  /** How often the same round must be seen: 2 means A, B, A, B, and 1 means A, B, A. Default 2. */
  readonly turnsMin?: number
  /** What to look at. Default trees and failures; `repeatedAction` looks at actions. */
  readonly over?: readonly OscillationKind[]
  /** Default `warn`: only warns the agent; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when the work goes back and forth: A, B, A, B over whole trees, sets of failures or actions, with up to four things in a round.
 *
 * @part oscillation
 */
export function oscillation(options: OscillationOptions = {}): Guard {
  const { turnsMin, over, severity } = readOptions('oscillation', SETTINGS, options)
  return {
    spec: { name: 'oscillation', v: 1, severity, settings: { turnsMin, over } },
    inspect: (state) => {
      const all = over.flatMap((kind) => SEEN[kind](state, turnsMin) ?? [])
      const [first] = all
      if (!first) return []
      const turnsMost = Math.max(...all.map((found) => found.cycle.turns))
      return [tripOf(first, turnsMost + turnsMin, { turnsMin, severity })]
    },
  }
}

const SETTINGS = settingsSchema({
  turnsMin: byDefault(wholeNumber(1), 2, 'How often the same round is seen: 2 means A, B, A, B, and 1 means A, B, A'),
  over: byDefault(
    someOf('a list such as [trees, failures]', oneOf(['trees', 'failures', 'actions'])),
    ['trees', 'failures'],
    'What to compare',
  ),
  severity: severityOf('warn'),
} satisfies EntriesOf<OscillationOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings oscillation
 */
export const oscillationSettings: GuardSettings = { schema: SETTINGS, place: 7 }

const PERIOD_MAX = 4
const FACTS_MAX = 10

interface Found {
  readonly kind: OscillationKind
  readonly cycle: Cycle
  readonly facts: readonly number[]
}

const SEEN: Readonly<Record<OscillationKind, (state: State, turnsMin: number) => Found | undefined>> = {
  trees: (state, turnsMin) => amongIterations('trees', freshIterations(state), turnsMin, (one, other) => one.tree === other.tree),
  failures: (state, turnsMin) => {
    const fresh = comparable(freshIterations(state))
    // Other failures on the same files say something about the checks, not about the work.
    const isMoving = fresh.slice(-2).every((iteration) => iteration.filesChanged > 0)
    return isMoving
      ? amongIterations('failures', fresh, turnsMin, (one, other) => one.fingerprint === other.fingerprint)
      : undefined
  },
  actions: ({ measures: { actions } }, turnsMin) => {
    const counted = actions.last.filter((action: Action) => !action.isWaiting)
    const cycle = cycleAtEnd(counted, turnsMin, PERIOD_MAX, isSameAction)
    return cycle && { kind: 'actions', cycle, facts: actions.facts }
  },
}

function amongIterations(
  kind: OscillationKind,
  iterations: readonly IterationSummary[],
  turnsMin: number,
  isSame: (one: IterationSummary, other: IterationSummary) => boolean,
): Found | undefined {
  const cycle = cycleAtEnd(iterations, turnsMin, PERIOD_MAX, isSame)
  return (
    cycle && {
      kind,
      cycle,
      facts: iterations.slice(-Math.max(cycle.period * cycle.turns, cycle.period + 1)).map((iteration) => iteration.seq),
    }
  )
}

function tripOf(
  { kind, cycle: { period, turns }, facts }: Found,
  to: number,
  { turnsMin, severity }: { readonly turnsMin: number; readonly severity: Severity },
): Trip {
  return {
    guard: 'oscillation',
    severity,
    code: 'oscillation.rounds',
    topic: kind,
    message: `The work goes round in circles: the same ${period} ${WORDS[kind]} in turn, ${turns === 1 ? 'and back to the first' : `${turns} times over`}.`,
    evidence: { facts: facts.slice(-FACTS_MAX), measures: { over: kind, period, turns, turnsMin } },
    hint: HINTS[kind],
    raise: { guard: 'oscillation', setting: 'turnsMin', to, label: `up to ${to} rounds of the same` },
  }
}

const WORDS: Readonly<Record<OscillationKind, string>> = {
  trees: 'states of the files',
  failures: 'sets of failures',
  actions: 'actions',
}

const HINTS: Readonly<Record<OscillationKind, string>> = {
  trees:
    'A state of the files that was not there before would let it continue: neither of these is right, so stop undoing one for the other.',
  failures:
    'Another set of failures would let it continue: what fixes one breaks the other, so find the change that satisfies both at once.',
  actions: 'Another action, or another result, would let it continue: these lead back to where they began.',
}

/** What comes round again at the end of a list. */
export interface Cycle {
  /** How many values one round has. */
  readonly period: number
  /** How many whole rounds there are. */
  readonly turns: number
}

/**
 * The shortest round of 2 to `periodMax` values that the list ends with at least `turnsMin` times, and for once only has begun again;
 * a round of one single value isn't one. Values are the same when `isSame` says so, by default when they are equal.
 */
export function cycleAtEnd<Value>(
  values: readonly Value[],
  turnsMin: number,
  periodMax: number,
  isSame: (one: Value, other: Value) => boolean = Object.is,
): Cycle | undefined {
  const same = (one: number, other: number): boolean => isSame(values[one] as Value, values[other] as Value)
  const last = values.length - 1
  for (let period = 2; period <= periodMax && period * turnsMin <= values.length; period++) {
    let length = period
    while (length <= last && same(last - length, last - length + period)) length++
    const turns = Math.floor(length / period)
    if (turns >= turnsMin && length > period && !isAllTheSame(last, period, same)) return { period, turns }
  }
  return undefined
}

function isAllTheSame(last: number, period: number, same: (one: number, other: number) => boolean): boolean {
  for (let offset = 1; offset < period; offset++) if (!same(last - offset, last)) return false
  return true
}
