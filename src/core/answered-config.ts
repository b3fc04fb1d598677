import { raised } from './raised.ts'
import type { PartSpec, RunConfig } from './run-config.ts'
import type { State } from './state.ts'

/** The configuration with what a person's answer changed in it, and a sentence that says so; as it is where nothing is pending. */
export function answeredConfig({ config, raises = [], expert }: State): {
  readonly config: RunConfig
  readonly message: string
} {
  const lifted = raised(config, raises)
  const limits = raises.length === 0 ? [] : [lifted.message]
  if (!expert) return { config: lifted.config, message: limits.join(' ') }
  return { config: { ...lifted.config, agent: expert }, message: [...limits, `The agent is now ${agentName(expert)}.`].join(' ') }
}

/** What an agent is called: its own name, or that of its kind. */
export function agentName({ name, settings }: PartSpec): string {
  return typeof settings['name'] === 'string' ? settings['name'] : name
}
