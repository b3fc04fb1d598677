import { freshIterations, hasSameTests, lastAlike } from '../core/measures/last-iterations.ts'
import type { Guard } from '../core/guard.ts'
import type { IterationSummary, State } from '../core/state.ts'
import type { Severity } from '../core/run-config.ts'
import { counted } from '../core/wording.ts'
import { byDefault, type EntriesOf, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface NoProgressOptions {
  /** Iterations in a row that end with the same score and the same tests failing. Default 4. */
  readonly iterationsMin?: number
  /** Default `warn`: only warns the agent; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when the files change in iteration after iteration, and the score and the set of failing tests do not. Where a check only says
 * that it failed, another message counts as progress.
 *
 * @part noProgress
 */
export function noProgress(options: NoProgressOptions = {}): Guard {
  const { iterationsMin, severity } = readOptions('noProgress', SETTINGS, options)
  return {
    spec: { name: 'noProgress', v: 1, severity, settings: { iterationsMin } },
    inspect: (state) => {
      const fresh = freshIterations(state)
      const last = fresh.at(-1)
      if (fresh.length < iterationsMin || !last || last.verdict.passed) return []
      const isCoarse = saysOnlyThatItFailed(state)
      const stuck = lastAlike(fresh, (later, earlier) => isSameStanding(later, earlier, isCoarse))
      if (stuck.length < iterationsMin) return []
      const to = stuck.length + iterationsMin
      const { score, failing } = last.verdict
      return [
        {
          guard: 'noProgress',
          severity,
          code: 'noProgress.same-outcome',
          message: `${stuck.length} iterations changed the files, and none changed the outcome: ${counted(failing, 'failure')}, the same ones.`,
          evidence: {
            facts: stuck.slice(-FACTS_MAX).map((iteration) => iteration.seq),
            measures: { iterations: stuck.length, iterationsMin, score: Number(score.toFixed(3)), failing },
          },
          hint: 'One test fewer or more that fails would let it continue: find out first whether the edited code runs at all in the failing test.',
          raise: { guard: 'noProgress', setting: 'iterationsMin', to, label: `up to ${to} iterations with the same outcome` },
        },
      ]
    },
  }
}

const SETTINGS = settingsSchema({
  iterationsMin: byDefault(wholeNumber(2), 4, 'Iterations in a row with the same score and the same failing tests'),
  severity: severityOf('warn'),
} satisfies EntriesOf<NoProgressOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings noProgress
 */
export const noProgressSettings: GuardSettings = { schema: SETTINGS, place: 6 }

const FACTS_MAX = 10

function isSameStanding(later: IterationSummary, earlier: IterationSummary, isCoarse: boolean): boolean {
  if (later.tree === earlier.tree || later.verdict.score !== earlier.verdict.score) return false
  // If nothing is said about what failed, nobody knows whether it is the same.
  const isSameMessage = later.fingerprint !== '' && later.fingerprint === earlier.fingerprint
  return isSameMessage || (!isCoarse && hasSameTests(later, earlier))
}

function saysOnlyThatItFailed({ current }: State): boolean {
  return current.checks.every((check) => check.passed || check.counts === undefined)
}
