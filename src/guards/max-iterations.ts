import type { Guard } from '../core/guard.ts'
import { attemptNumber } from '../core/plan.ts'
import { requirePositiveInteger } from '../core/require.ts'
import { iterationNoun } from '../core/wording.ts'

/** Trips when the iteration just ended was the last one allowed: a maximum of 3 means three iterations, for each item of a plan. */
export function maxIterations(iterationsMax = 3): Guard {
  requirePositiveInteger('maxIterations', 'iterationsMax', iterationsMax)
  return {
    spec: { name: 'maxIterations', v: 1, severity: 'trip', settings: { iterationsMax } },
    inspect: ({ current, plan }) => {
      const iterations = attemptNumber(plan, current.number)
      if (iterations < iterationsMax || !current.ended) return []
      const to = iterations + Math.max(3, Math.ceil(iterationsMax / 2))
      return [
        {
          guard: 'maxIterations',
          severity: 'trip',
          message: `${iterationNoun(iterations)} done, and the maximum is ${iterationsMax}.`,
          evidence: { facts: [current.ended.seq], measures: { iterations, iterationsMax } },
          hint: `A maximum of ${to} would have let it go on.`,
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
export function maxIterationsFrom({ iterationsMax }: { readonly iterationsMax: number }): Guard {
  return maxIterations(iterationsMax)
}
