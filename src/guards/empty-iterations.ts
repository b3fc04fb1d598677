import { freshIterations, isUntouched, lastWhile } from '../core/measures/last-iterations.ts'
import type { Guard } from '../core/guard.ts'
import type { Severity } from '../core/run-config.ts'
import { iterationNoun } from '../core/wording.ts'
import { byDefault, type EntriesOf, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface EmptyIterationsOptions {
  /** Iterations in a row in which no file changed. Default 2. */
  readonly iterationsMin?: number
  /** Default `warn`: only warns the agent; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when the agent works iteration after iteration and leaves every file as it was.
 *
 * @part emptyIterations
 */
export function emptyIterations(options: EmptyIterationsOptions = {}): Guard {
  const { iterationsMin, severity } = readOptions('emptyIterations', SETTINGS, options)
  return {
    spec: { name: 'emptyIterations', v: 1, severity, settings: { iterationsMin } },
    inspect: (state) => {
      const idle = lastWhile(freshIterations(state), (iteration) => isUntouched(state, iteration))
      if (idle.length < iterationsMin) return []
      const to = idle.length + iterationsMin
      const failed = idle.filter((iteration) => iteration.agentFailed).length
      const why = failed === 0 ? '' : ` (the agent itself failed in ${failed} of them)`
      return [
        {
          guard: 'emptyIterations',
          severity,
          code: 'emptyIterations.unchanged',
          message: `Nothing was changed in the last ${iterationNoun(idle.length)}${why}.`,
          evidence: {
            facts: idle.slice(-FACTS_MAX).map((iteration) => iteration.seq),
            measures: { iterations: idle.length, iterationsMin, agentFailed: failed },
          },
          hint: 'One changed file would let it continue: make the edit instead of describing it, or say what keeps you from it.',
          raise: { guard: 'emptyIterations', setting: 'iterationsMin', to, label: `up to ${iterationNoun(to)} without a change` },
        },
      ]
    },
  }
}

const SETTINGS = settingsSchema({
  iterationsMin: byDefault(wholeNumber(1), 2, 'Iterations in a row in which no file changes'),
  severity: severityOf('warn'),
} satisfies EntriesOf<EmptyIterationsOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings emptyIterations
 */
export const emptyIterationsSettings: GuardSettings = { schema: SETTINGS, place: 9 }

const FACTS_MAX = 10
