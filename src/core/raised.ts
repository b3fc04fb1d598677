import type { Raise } from './question.ts'
import type { GuardSpec, RunConfig } from './run-config.ts'

/** The configuration with some settings of its guards lifted, and a sentence that says so. */
export function raised(config: RunConfig, raises: readonly Raise[]): { readonly config: RunConfig; readonly message: string } {
  const guards = config.guards.map((spec) => raises.reduce(lift, spec))
  const message = `Raised: ${raises.map(({ guard, label }) => `${guard} to ${label}`).join(', ')}.`
  return { config: { ...config, guards }, message }
}

/** A guard inside `anyOf` or `allOf` is lifted where it stands. */
function lift(spec: GuardSpec, raise: Raise): GuardSpec {
  const parts = spec.parts?.map((part) => lift(part, raise))
  const now = spec.settings[raise.setting]
  const isLower = spec.name === raise.guard && typeof now === 'number' && now > 0 && now < raise.to
  const settings = isLower ? { ...spec.settings, [raise.setting]: raise.to } : spec.settings
  return { ...spec, settings, ...(parts === undefined ? {} : { parts }) }
}
