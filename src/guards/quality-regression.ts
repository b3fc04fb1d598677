import type { Guard } from '../core/guard.ts'
import { isDeclining } from '../core/measures/measures.ts'
import type { State } from '../core/state.ts'
import type { Severity } from '../core/run-config.ts'
import { type EntriesOf, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface QualityRegressionOptions {
  /** Default `warn`: only warns the agent; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when the last three scores are all below the best before them and none is better than the one before it: it got worse and stays so.
 *
 * @part qualityRegression
 */
export function qualityRegression(options: QualityRegressionOptions = {}): Guard {
  const { severity } = readOptions('qualityRegression', SETTINGS, options)
  return {
    spec: { name: 'qualityRegression', v: 1, severity, settings: {} },
    inspect: (state) => {
      const { trend } = state.measures
      if (!isDeclining(trend)) return []
      const scores = trend.scores.map(rounded)
      const best = rounded(trend.bestBefore ?? 0)
      return [
        {
          guard: 'qualityRegression',
          severity,
          code: 'qualityRegression.lower',
          message: `The score was ${best} and has only been lower since: ${scores.join(', ')}.`,
          evidence: { facts: trend.facts, measures: { scores, bestBefore: best } },
          hint: `One better score would let it continue: look at what broke since, and ${wayBack(state)}.`,
        },
      ]
    },
  }
}

const SETTINGS = settingsSchema({
  severity: severityOf('warn'),
} satisfies EntriesOf<QualityRegressionOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings qualityRegression
 */
export const qualityRegressionSettings: GuardSettings = { schema: SETTINGS, place: 12 }

function rounded(score: number): number {
  return Number(score.toFixed(3))
}

function wayBack({ best, current }: State): string {
  if (!best || best.iteration === current.number) return 'undo it before anything new'
  return best.iteration === 0
    ? 'compare with how it was at the start'
    : `compare with iteration ${best.iteration}, the best so far`
}
