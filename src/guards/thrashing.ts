import type { Guard } from '../core/guard.ts'
import type { FileChurn } from '../core/measures/measures.ts'
import type { State } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'
import type { Severity } from '../core/run-config.ts'
import { counted, iterationNoun } from '../core/wording.ts'
import { byDefault, type EntriesOf, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface ThrashingOptions {
  /** Iterations that changed the same file since the score was last better than ever. Default 5. */
  readonly timesMin?: number
  /** Default `warn`: only warns the agent; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when a file is changed that was changed in many iterations before, and the score never got better meanwhile. A pass or a
 * better score restarts the count, and a file that is left alone is no longer held against anybody. Notes, logs and lock files, which many loops
 * rewrite every time, do not count.
 *
 * @part thrashing
 */
export function thrashing(options: ThrashingOptions = {}): Guard {
  const { timesMin, severity } = readOptions('thrashing', SETTINGS, options)
  return {
    spec: { name: 'thrashing', v: 1, severity, settings: { timesMin } },
    inspect: (state) => {
      const { files } = state.measures.churn
      const changedNow = (state.current.observed?.files ?? []).map((file) => file.path)
      const found = changedNow.filter(
        (path) => Object.hasOwn(files, path) && (files[path]?.count ?? 0) >= timesMin && !REWRITTEN_EVERY_TIME.test(path),
      )
      return found.length === 0 ? [] : [tripOf(found, { timesMin, severity }, state)]
    },
  }
}

const SETTINGS = settingsSchema({
  timesMin: byDefault(wholeNumber(2), 5, 'Iterations that change the same file without a better score'),
  severity: severityOf('warn'),
} satisfies EntriesOf<ThrashingOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings thrashing
 */
export const thrashingSettings: GuardSettings = { schema: SETTINGS, place: 5 }

const REWRITTEN_EVERY_TIME =
  /\.(?:md|mdx|rst|txt|log|lock|snap)$|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum|npm-shrinkwrap\.json)$/i

function tripOf(
  paths: readonly string[],
  { timesMin, severity }: Required<ThrashingOptions>,
  { best, measures: { churn } }: State,
): Trip {
  const files = paths.map((path) => ({ path, ...(churn.files[path] as FileChurn) }))
  const worst = files.toSorted((one, other) => other.count - one.count || (one.path < other.path ? -1 : 1))
  const [first] = worst as [(typeof worst)[number]]
  const to = first.count + timesMin
  const others = worst.length > 1 ? ` (and ${counted(worst.length - 1, 'other file')} nearly as often)` : ''
  const from = best && best.iteration > 0 ? `, or start from iteration ${best.iteration}, the best so far` : ''
  return {
    guard: 'thrashing',
    severity,
    code: 'thrashing.files',
    message: `${first.path} was changed in ${iterationNoun(first.count)} since iteration ${first.since}${others}, and nothing got better.`,
    evidence: {
      facts: first.facts,
      measures: { timesMin, files: worst.slice(0, FILES_NAMED_MAX).map(({ path, count, since }) => ({ path, count, since })) },
    },
    hint: `A better score would let it continue. Leave ${first.path} alone for once: the cause may lie in what calls it, in its data or in the test's setup; prove where with one small experiment before the next edit${from}.`,
    raise: { guard: 'thrashing', setting: 'timesMin', to, label: `up to ${to} changes of one file without a better score` },
  }
}

const FILES_NAMED_MAX = 10
