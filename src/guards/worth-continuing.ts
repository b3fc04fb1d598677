import type { Guard } from '../core/guard.ts'
import type { JsonObject } from '../core/json.ts'
import { freshIterations } from '../core/measures/last-iterations.ts'
import { type KnownOdds, oddsOf } from './odds/odds.ts'
import { percentWords } from './odds/odds-words.ts'
import type { OwnOdds } from './odds/own-odds.ts'
import type { State } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'
import type { Severity } from '../core/run-config.ts'
import { counted, money, thousands } from '../core/wording.ts'
import { byDefault, type EntriesOf, needed, NUMBER, optional, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'
import type { KindData, OddsKind } from './odds/odds-data.ts'
import { SHIPPED_ODDS } from './odds/shipped-odds.ts'

export interface WorthContinuingOptions {
  /** Of so many runs that would have succeeded at most one is given up, and of so many given up at most one would have. Default 200. */
  readonly giveUpASuccessAtMostOnceIn?: number
  /** What one's own runs taught, as `ownOdds` says it. Default nothing: the recorded loops alone. */
  readonly own?: OwnOdds
  /** Default `trip`: you are asked; `warn` only tells the agent. */
  readonly severity?: Severity
}

/**
 * Holds when continuing is not worth what it costs: the chance to succeed from here is below what the promise allows, so that a success would
 * have to be worth more iterations than the promise says. If too few recorded loops were like this it says nothing.
 *
 * @part worthContinuing
 */
export function worthContinuing(options: WorthContinuingOptions = {}): Guard {
  const { giveUpASuccessAtMostOnceIn: onceIn, severity } = readOptions('worthContinuing', SETTINGS, options)
  const { own } = options
  const settings = { giveUpASuccessAtMostOnceIn: onceIn, ...(own ? { own: own as unknown as JsonObject } : {}) }
  return {
    spec: { name: 'worthContinuing', v: 1, severity, settings },
    inspect: (state) => {
      // If nothing is checked nobody knows whether an iteration failed.
      if (state.config.checks.length === 0 && Object.keys(state.measures.ledger.checks).length === 0) return []
      const odds = oddsOf(state, own)
      if (odds?.status !== 'known' || freshIterations(state).length < GIVEN_UP_FROM_ITERATION) return []
      const limit = chanceLimit(odds.kind, onceIn)
      return odds.chance < limit ? [tripOf(state, odds, limit, onceIn, severity)] : []
    },
  }
}

const SHIFT = settingsSchema(
  {
    loops: needed(wholeNumber(1), 'How many of your runs it rests on'),
    shift: needed(NUMBER, 'How far they move the odds'),
  },
  'a map such as { loops: 40, shift: 0.3 }',
)

const OWN_ODDS = settingsSchema(
  { attempts: optional(SHIFT), turns: optional(SHIFT) } satisfies EntriesOf<OwnOdds>,
  'a map such as { attempts: { loops: 40, shift: 0.3 } }',
)

const SETTINGS = settingsSchema({
  giveUpASuccessAtMostOnceIn: byDefault(wholeNumber(2), 200, 'Give up at most one success in so many runs'),
  own: optional(OWN_ODDS, 'What your own runs taught'),
  severity: severityOf('trip'),
} satisfies EntriesOf<WorthContinuingOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings worthContinuing
 */
export const worthContinuingSettings: GuardSettings = { schema: SETTINGS, place: 13 }

function tripOf(state: State, odds: KnownOdds, limit: number, onceIn: number, severity: Severity): Trip {
  const { kind, chance, given, endedWell, chanceRecorded, ownLoops } = odds
  const to = onceInAllowing(kind, chance, onceIn + 1)
  const worth = worthMin(state, odds)
  return {
    guard: 'worthContinuing',
    severity,
    code: 'worthContinuing.chance',
    message: `${chanceWords(odds)}. ${worthWords(worth)}.`,
    evidence: {
      facts: state.recent.slice(-FACTS_MAX).map(({ seq }) => seq),
      measures: {
        kind,
        chance: rounded(chance),
        chanceMin: rounded(limit),
        given,
        endedWell,
        ...(ownLoops === 0 ? {} : { chanceRecorded: rounded(chanceRecorded) }),
        ownLoops,
        ...worth,
        giveUpASuccessAtMostOnceIn: onceIn,
      },
    },
    hint: 'A better score, another failure or work not tried before would let it continue: nothing so far has helped, so try something quite different.',
    raise: {
      guard: 'worthContinuing',
      setting: 'giveUpASuccessAtMostOnceIn',
      to,
      label: `a stricter promise: at most one success in ${thousands(to)} given up`,
    },
  }
}

const FACTS_MAX = 10

function chanceWords({ chance, chanceWithin, given, endedWell, ownLoops }: KnownOdds): string {
  const left = counted(chanceWithin.length, 'iteration')
  const own = ownLoops === 0 ? '' : `, adjusted by ${counted(ownLoops, 'run')} of your own`
  return `The chance to succeed in the ${left} left is ${percentWords(chance)}: ${thousands(endedWell)} of ${thousands(given)} comparable recorded cases succeeded${own}`
}

/** What a success must be worth for continuing to pay. */
interface Worth {
  readonly iterationsWorthMin: number
  /** Where it is known what iterations cost. */
  readonly iterationCostUsd?: number
  readonly worthUsdMin?: number
}

/** Continuing costs the iterations that will be done on average, and brings a success as often as the chance says. */
function worthMin({ recent }: State, { chance, chanceWithin }: KnownOdds): Worth {
  const iterationsExpected = chanceWithin.reduce((sum, _within, index) => sum + 1 - (chanceWithin[index - 1] ?? 0), 0)
  const iterationsWorthMin = Number((iterationsExpected / chance).toPrecision(2))
  const iterationCostUsd = recent.reduce((sum, iteration) => sum + iteration.costUsd, 0) / recent.length
  if (iterationCostUsd === 0) return { iterationsWorthMin }
  return { iterationsWorthMin, iterationCostUsd, worthUsdMin: iterationsWorthMin * iterationCostUsd }
}

function worthWords({ iterationsWorthMin, iterationCostUsd, worthUsdMin }: Worth): string {
  const worth = `Continuing pays only if a success is worth more than ${counted(iterationsWorthMin, 'iteration')}`
  if (iterationCostUsd === undefined || worthUsdMin === undefined) return worth
  return `${worth}, ${money(worthUsdMin)} at the ${money(iterationCostUsd)} that one has cost so far`
}

/** With as many digits as tell a chance from a limit just above it. */
function rounded(chance: number): number {
  return Number(chance.toPrecision(6))
}

/** One failure is no pattern: before this iteration nothing is given up. */
export const GIVEN_UP_FROM_ITERATION = 2

/**
 * Below which chance a loop may be given up so that of `onceIn` successes at most one is lost, and of `onceIn` loops given up at most one
 * would have succeeded. 0 where the recorded loops are too few for so strict a promise: then nothing is given up.
 */
export function chanceLimit(kind: OddsKind, onceIn: number): number {
  return limitAt(SHIPPED_ODDS[kind].limits, keptBy(kind, onceIn))
}

/**
 * The promise whose limit is taken. On loops that nobody had seen, lenient promises about turns lost up to half as many successes again as they allow. So they are kept by
 * the limit of a promise twice as strict, up to 1 in 100. Only 1 in 200 was kept on every dataset that the fit had not seen.
 */
export function keptBy(kind: OddsKind, onceIn: number): number {
  return kind === 'turns' ? Math.max(onceIn, Math.min(2 * onceIn, MARGIN_ONCE_IN_MAX)) : onceIn
}

const MARGIN_ONCE_IN_MAX = 100

/** The limit of a promise among measured ones: never above one in so many. */
export function limitAt(limits: KindData['limits'], onceIn: number): number {
  const place = limits.findIndex((onceInMax, index) => index % 2 === 0 && onceInMax >= onceIn)
  return place < 0 ? 0 : Math.min(limits[place + 1] as number, 1 / onceIn)
}

/** The least `onceIn` from this one on at which this chance is no reason to give up. */
export function onceInAllowing(kind: OddsKind, chance: number, from: number): number {
  const tooStrict = (SHIPPED_ODDS[kind].limits.at(-2) ?? 1) + 1
  let [low, high] = [from, Math.max(from, tooStrict)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (chanceLimit(kind, middle) <= chance) high = middle
    else low = middle + 1
  }
  return low
}
