import type { Guard } from '../core/guard.ts'
import type { GuardSpec } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import { attemptNumber, iterationsMaxIn } from '../core/unit.ts'
import { iterationNoun } from '../core/wording.ts'
import { inFiles } from '../schema/file-kinds.ts'
import { byDefault, optional, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { requireKind } from '../schema/read-options.ts'
import type { GuardSettings } from './guard-settings.ts'

export interface MaxIterationsOptions {
  /** The ceiling up to which the maximum rises by one while each iteration scores better than all before. Default: it never rises. */
  readonly extendWhileImproving?: number
}

/**
 * Trips when the iteration just ended was the last one allowed: a maximum of 3 means three iterations, for each unit of work.
 *
 * @example maxIterations(3, { extendWhileImproving: 10 })
 */
export function maxIterations(iterationsMax = 3, { extendWhileImproving }: MaxIterationsOptions = {}): Guard {
  requireKind('maxIterations', 'iterationsMax', iterationsMax, wholeNumber(1))
  if (extendWhileImproving !== undefined)
    requireKind('maxIterations', 'extendWhileImproving', extendWhileImproving, wholeNumber(1))
  const settings = { iterationsMax, ...(extendWhileImproving === undefined ? {} : { extendWhileImproving }) }
  const spec: GuardSpec = { name: 'maxIterations', v: 1, severity: 'trip', settings }
  return {
    spec,
    inspect: (state) => {
      const { current, unit } = state
      const iterations = attemptNumber(unit, current.number)
      if (iterations < iterationsMax || !current.ended) return []
      if (iterations < (extendWhileImproving ?? 0) && isBestSoFar(state)) return []
      const max = iterationsMaxIn([spec], iterations) ?? iterationsMax
      const to = iterations + Math.max(3, Math.ceil(max / 2))
      return [
        {
          guard: 'maxIterations',
          severity: 'trip',
          message: `${iterationNoun(iterations)} done, and the maximum is ${max}.`,
          evidence: { facts: [current.ended.seq], measures: { iterations, iterationsMax: max } },
          hint: `A maximum of ${to} would let it continue.`,
          raise: { guard: 'maxIterations', setting: 'iterationsMax', to, label: `up to ${iterationNoun(to)}` },
        },
      ]
    },
  }
}

/** Whether the iteration just ended scored better than all before; a pass that isn't a success is no reason to continue. */
function isBestSoFar({ current, measures }: State): boolean {
  return current.ended?.verdict.passed === false && measures.betterScore.failures === 0
}

/**
 * The guard as a run recorded it.
 *
 * @part maxIterations
 */
export function maxIterationsFrom({
  iterationsMax,
  ...options
}: MaxIterationsOptions & { readonly iterationsMax?: number }): Guard {
  return maxIterations(iterationsMax, options)
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
  extendWhileImproving: optional(
    inFiles(wholeNumber(1), {
      flag: '--extend-while-improving <count>',
      flagAbout: 'raise the limit up to this while each iteration is better',
      byDefault: 'off',
      example: 'extend_while_improving: 10',
    }),
    'Up to how many iterations the limit rises while each iteration is better than all before',
  ),
})

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings maxIterations
 */
export const maxIterationsSettings: GuardSettings = { schema: SETTINGS, place: 1, isLimit: true }
