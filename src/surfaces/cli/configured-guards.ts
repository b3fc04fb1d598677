import type { Guard } from '../../core/guard.ts'
import {
  circuitBreaker,
  deadline,
  type DeadlineOptions,
  defaultGuards,
  emptyIterations,
  ladder,
  noProgress,
  oscillation,
  qualityRegression,
  repeatedAction,
  sameFailure,
  spinningText,
  stalledDiff,
  tampering,
  thrashing,
  worthContinuing,
} from '../../guards/index.ts'
import type { ConfiguredGuard, ConfiguredGuards } from '../../settings/pawl-config.ts'

/** The guards besides the maximum and the budgets: those out of the box as they are configured, then what else is named. */
export function configuredGuards(configured: ConfiguredGuards = {}): readonly Guard[] {
  const usual = defaultGuards().filter((guard) => Object.hasOwn(FACTORIES, guard.spec.name))
  const names = new Set(usual.map((guard) => guard.spec.name))
  const others = guardNames.filter((name) => !names.has(name) && configured[name] !== undefined)
  return [
    ...usual.flatMap((guard) => {
      const given = configured[guard.spec.name as GuardName]
      return given === undefined ? [guard] : guardOf(guard.spec.name as GuardName, given)
    }),
    ...others.flatMap((name) => guardOf(name, configured[name] ?? 'off')),
  ]
}

/** A guard with the settings given for it; none when it is off. */
export function guardOf(name: GuardName, given: ConfiguredGuard<object>): readonly Guard[] {
  if (given === 'off') return []
  const { severity, patience, ...options } = given
  if (severity === 'ladder') return [ladder(FACTORIES[name](options), patience === undefined ? {} : { patience })]
  return [FACTORIES[name]({ ...options, ...(severity === undefined ? {} : { severity }) })]
}

export type GuardName = keyof ConfiguredGuards

const FACTORIES: Readonly<Record<GuardName, (options: object) => Guard>> = {
  circuitBreaker,
  sameFailure,
  thrashing,
  noProgress,
  oscillation,
  stalledDiff,
  emptyIterations,
  spinningText,
  repeatedAction,
  qualityRegression,
  tampering,
  worthContinuing,
  deadline: (options) => deadline(options as DeadlineOptions),
}

/** Every guard that can be configured by its name. */
export const guardNames = Object.keys(FACTORIES) as readonly GuardName[]
