import { freshIterations, lastWhile } from '../core/measures/last-iterations.ts'
import type { Likeness } from '../core/event-data.ts'
import type { Guard } from '../core/guard.ts'
import type { IterationSummary } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'
import type { Severity } from '../core/run-config.ts'
import { byDefault, type EntriesOf, oneOf, settingsSchema, SHARE, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface StalledDiffOptions {
  /** Iterations in a row whose change is like the one before. Default 2. */
  readonly repeatsMin?: number
  /** From which likeness on, 0..1. Default 0.97. */
  readonly similarityMin?: number
  /** Of how many lines alike changes may differ; only by lines. Default 4. */
  readonly linesDifferingMax?: number
  /** `lines` (default) compares changed lines without whitespace, times and places; `characters` the texts of the changes, as difflib does. */
  readonly by?: 'lines' | 'characters'
  /** Default `warn`: only warns the agent; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when iterations in a row change nearly the same as the one before: the work goes round the same spot.
 *
 * @part stalledDiff
 */
export function stalledDiff(options: StalledDiffOptions = {}): Guard {
  const { severity, ...settings } = readOptions('stalledDiff', SETTINGS, options)
  const { repeatsMin } = settings
  return {
    spec: { name: 'stalledDiff', v: 1, severity, settings },
    inspect: (state) => {
      const alike = lastWhile(freshIterations(state), ({ likeness }) => isAlike(likeness, settings))
      return alike.length < repeatsMin ? [] : [tripOf(alike, settings, severity)]
    },
  }
}

const SETTINGS = settingsSchema({
  repeatsMin: byDefault(wholeNumber(1), 2, 'Iterations in a row whose change is like the one before'),
  similarityMin: byDefault(SHARE, 0.97, 'How alike two changes are to count as the same'),
  linesDifferingMax: byDefault(wholeNumber(0), 4, 'In how many lines they may differ, if compared by lines'),
  by: byDefault(oneOf(['lines', 'characters']), 'lines', '`lines` compares changed lines, `characters` the text of the changes'),
  severity: severityOf('warn'),
} satisfies EntriesOf<StalledDiffOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings stalledDiff
 */
export const stalledDiffSettings: GuardSettings = { schema: SETTINGS, place: 8 }

type Settings = Required<Omit<StalledDiffOptions, 'severity'>>

function isAlike(likeness: Likeness | undefined, { similarityMin, linesDifferingMax, by }: Settings): boolean {
  if (!likeness) return false
  if (by === 'characters') return (likeness.characters ?? 0) >= similarityMin
  return likeness.lines >= similarityMin && likeness.linesDiffering <= linesDifferingMax
}

function tripOf(alike: readonly IterationSummary[], settings: Settings, severity: Severity): Trip {
  const to = alike.length + settings.repeatsMin
  const shown = alike.slice(-FACTS_MAX)
  const newest = alike.at(-1)?.likeness
  const share = Math.floor(100 * ((settings.by === 'lines' ? newest?.lines : newest?.characters) ?? 0))
  return {
    guard: 'stalledDiff',
    severity,
    code: 'stalledDiff.same-change',
    message: `The last ${alike.length + 1} changes are nearly the same: ${share}% of the last one was in the one before.`,
    evidence: {
      facts: shown.map((iteration) => iteration.seq),
      measures: { ...settings, repeats: alike.length, likeness: shown.map((iteration) => ({ ...iteration.likeness })) },
    },
    hint: 'A change that differs would let it continue: this one has been made before and did not help, so make another one.',
    raise: { guard: 'stalledDiff', setting: 'repeatsMin', to, label: `up to ${to} changes in a row that are nearly the same` },
  }
}

const FACTS_MAX = 10
