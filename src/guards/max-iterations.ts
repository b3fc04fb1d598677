import type { Guard } from '../core/guard.ts'
import { attemptNumber } from '../core/unit.ts'
import { iterationNoun } from '../core/wording.ts'
import { inFiles } from '../schema/file-kinds.ts'
import { byDefault, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { requireKind } from '../schema/read-options.ts'
import type { GuardSettings } from './guard-settings.ts'

/** Trips when the iteration just ended was the last one allowed: a maximum of 3 means three iterations, for each unit of work. */
export function maxIterations(iterationsMax = 3): Guard {
  requireKind('maxIterations', 'iterationsMax', iterationsMax, wholeNumber(1))
  return {
    spec: { name: 'maxIterations', v: 1, severity: 'trip', settings: { iterationsMax } },
    inspect: ({ current, unit }) => {
      const iterations = attemptNumber(unit, current.number)
      if (iterations < iterationsMax || !current.ended) return []
      const to = iterations + Math.max(3, Math.ceil(iterationsMax / 2))
      return [
        {
          guard: 'maxIterations',
          severity: 'trip',
          message: `${iterationNoun(iterations)} done, and the maximum is ${iterationsMax}.`,
          evidence: { facts: [current.ended.seq], measures: { iterations, iterationsMax } },
          hint: `A maximum of ${to} would let it continue.`,
          raise: { guard: 'maxIterations', setting: 'iterationsMax', to, label: `up to ${iterationNoun(to)}` },
        },
      ]
    },
  }
}

/**
 * The guard as a run recorded it.
 *
 * @part maxIterations
 */
export function maxIterationsFrom({ iterationsMax }: { readonly iterationsMax?: number }): Guard {
  return maxIterations(iterationsMax)
}

const SETTINGS = settingsSchema({
  iterationsMax: byDefault(
    inFiles(wholeNumber(1), {
      name: 'max_iterations',
      flag: '-n, --max-iterations <count>',
      byDefault: '3; 10 for `pawl review`, 20 for `pawl ralph`',
      example: 'max_iterations: 3',
    }),
    3,
    'How many iterations a run, or each of its tasks, may take',
  ),
})

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings maxIterations
 */
export const maxIterationsSettings: GuardSettings = { schema: SETTINGS, place: 1, isLimit: true }
