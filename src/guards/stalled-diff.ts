import type { Likeness } from '../core/event-data.ts'
import type { Guard } from '../core/guard.ts'
import { freshIterations } from '../core/measures/fresh-iterations.ts'
import { lastWhile } from '../core/patterns/attempts.ts'
import { type OptionKinds, SEVERITY } from '../core/option-kinds.ts'
import { PawlError } from '../core/pawl-error.ts'
import { requireOptions } from '../core/require-options.ts'
import { requireAtLeastZero, requirePositiveInteger, requireShare } from '../core/require.ts'
import type { IterationSummary } from '../core/state.ts'
import type { Severity, Trip } from '../core/trip.ts'

export interface StalledDiffOptions {
  /** Iterations in a row whose change is like the one before. Default 2. */
  readonly repeatsMin?: number
  /** From which likeness on, 0..1. Default 0.97. */
  readonly similarityMin?: number
  /** Of how many lines alike changes may differ; only by lines. Default 4. */
  readonly linesDifferingMax?: number
  /** `lines` (default) compares changed lines without whitespace, times and places; `characters` the texts of the changes, as difflib does. */
  readonly by?: 'lines' | 'characters'
  /** Default `warn`: the agent is told; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when iterations in a row change nearly the same as the one before: the work goes round the same spot.
 *
 * @part stalledDiff
 */
export function stalledDiff(options: StalledDiffOptions = {}): Guard {
  requireOptions('stalledDiff', options, OPTIONS)
  const { repeatsMin = 2, similarityMin = 0.97, linesDifferingMax = 4, by = 'lines', severity = 'warn' } = options
  requirePositiveInteger('stalledDiff', 'repeatsMin', repeatsMin)
  requireShare('stalledDiff', 'similarityMin', similarityMin)
  requireAtLeastZero('stalledDiff', { linesDifferingMax })
  if (by !== 'lines' && by !== 'characters')
    throw new PawlError('setting.invalid', `stalledDiff: by must be lines or characters, not ${String(by)}.`, { value: by })
  const settings = { repeatsMin, similarityMin, linesDifferingMax, by }
  return {
    spec: { name: 'stalledDiff', v: 1, severity, settings },
    inspect: (state) => {
      const alike = lastWhile(freshIterations(state), ({ likeness }) => isAlike(likeness, settings))
      return alike.length < repeatsMin ? [] : [tripOf(alike, settings, severity)]
    },
  }
}

const OPTIONS: OptionKinds<StalledDiffOptions> = {
  repeatsMin: true,
  similarityMin: true,
  linesDifferingMax: true,
  by: true,
  severity: SEVERITY,
}

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
    message: `The last ${alike.length + 1} changes are nearly the same: ${share}% of the last one was in the one before.`,
    evidence: {
      facts: shown.map((iteration) => iteration.seq),
      measures: { ...settings, repeats: alike.length, likeness: shown.map((iteration) => ({ ...iteration.likeness })) },
    },
    hint: 'A change that differs would have let it go on: this one has been made before and did not help, so make another one.',
    raise: { guard: 'stalledDiff', setting: 'repeatsMin', to, label: `up to ${to} changes in a row that are nearly the same` },
  }
}

const FACTS_MAX = 10
