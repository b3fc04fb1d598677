import type { Guard } from '../core/guard.ts'
import { type GuardName, GUARD_NAMES, guardNamed, settingsOf } from '../guards/default-guards.ts'
import { ladder } from '../guards/index.ts'
import type { ConfiguredGuard, ConfiguredGuards, PawlConfig } from './pawl-config.ts'

/** Every guard that can be configured by its name: all but the limits, which have keys of their own. */
export const guardNames = GUARD_NAMES.filter((name) => !settingsOf(name).isLimit)

/** The guards besides the maximum and the budgets: those of every run as they are configured, then what else is named. */
export function configuredGuards(configured: ConfiguredGuards = {}): readonly Guard[] {
  return guardNames.flatMap((name) => {
    const given = configured[name]
    if (given !== undefined) return guardOf(name, given)
    return settingsOf(name).place === undefined ? [] : [guardNamed(name)]
  })
}

/** The limits of a budget that pawl.yaml sets; 0 is no limit. */
export function budgetLimits(config: PawlConfig | undefined): Readonly<Record<string, number>> {
  const { budgetUsd = 0, budgetTokens = 0, budgetTimeMs = 0, maxWaitMs = 0 } = config ?? {}
  return { costUsdMax: budgetUsd, tokensMax: budgetTokens, durationMsMax: budgetTimeMs, waitMsMax: maxWaitMs }
}

/** A guard with the settings given for it; none when it is off. */
export function guardOf(name: GuardName, given: ConfiguredGuard): readonly Guard[] {
  if (given === 'off') return []
  const { severity, patience, ...options } = given
  if (severity === 'ladder') return [ladder(guardNamed(name, options), patience === undefined ? {} : { patience })]
  return [guardNamed(name, { ...options, ...(severity === undefined ? {} : { severity }) })]
}
