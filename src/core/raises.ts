import { agentName, type GuardSpec, type RunConfig } from './run-config.ts'
import type { State } from './state.ts'
import type { Raise } from './question.ts'

/** The configuration with what a person's answer changed in it, and a sentence that says so; as it is if nothing is pending. */
export function configWithAnswer({ config, raises = [], expert, added = [] }: State): {
  readonly config: RunConfig
  readonly message: string
} {
  const lifted = withRaises(config, raises)
  const limits = raises.length === 0 ? [] : [lifted.message]
  const names = added.map(({ settings }) => String(settings['name']))
  return {
    config: {
      ...lifted.config,
      ...(expert ? { agent: expert } : {}),
      ...(added.length === 0 ? {} : { checks: [...config.checks, ...added] }),
    },
    message: [
      ...limits,
      ...(expert ? [`The agent is now ${agentName(expert)}.`] : []),
      ...(added.length === 0 ? [] : [`Added: ${names.join(', ')}.`]),
    ].join(' '),
  }
}

/** The configuration with some settings of its guards lifted, and a sentence that says so. */
export function withRaises(
  config: RunConfig,
  raises: readonly Raise[],
): { readonly config: RunConfig; readonly message: string } {
  const guards = config.guards.map((spec) => raises.reduce(lift, spec))
  const message = `Raised: ${raises.map(({ guard, label }) => `${guard} to ${label}`).join(', ')}.`
  return { config: { ...config, guards }, message }
}

/** A guard inside `anyOf` or `allOf` is lifted in place. */
function lift(spec: GuardSpec, raise: Raise): GuardSpec {
  const parts = spec.parts?.map((part) => lift(part, raise))
  const now = spec.settings[raise.setting]
  const isLower = spec.name === raise.guard && typeof now === 'number' && now > 0 && now < raise.to
  const settings = isLower ? { ...spec.settings, [raise.setting]: raise.to } : spec.settings
  return { ...spec, settings, ...(parts === undefined ? {} : { parts }) }
}
