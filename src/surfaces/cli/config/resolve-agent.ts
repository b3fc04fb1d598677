import { PawlError } from '../../../core/pawl-error.ts'
import type { CommandLine } from '../../../process/command-options.ts'
import { AGENT_PRESETS, agentNames, type AgentPreset } from './agent-presets.ts'
import { didYouMean } from './nearest-name.ts'
import type { PawlConfig } from './pawl-config.ts'
import { tinkerCommand } from './tinker-command.ts'

/** What `commandAgent` takes. */
export type ResolvedAgent = CommandLine & {
  readonly name: string
  readonly briefAs: 'stdin' | 'argument'
  readonly environment: readonly string[]
  readonly variables?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

/**
 * The agent of this name: the user's own first, so that a preset can be run another way, then the presets. The time limit is the
 * agent's own, else `agent_timeout`, else left to the driver. A name nobody has is a `usage.unknown-agent` error.
 */
export function resolveAgent(name: string, config?: PawlConfig): ResolvedAgent {
  const own = config?.agents ?? {}
  const limit = config?.agentTimeoutMs === undefined ? {} : { timeoutMs: config.agentTimeoutMs }
  const agent = Object.hasOwn(own, name) ? own[name] : undefined
  if (agent !== undefined) return { briefAs: 'stdin', environment: [], ...limit, ...agent, name }
  const preset = Object.hasOwn(AGENT_PRESETS, name) ? AGENT_PRESETS[name] : undefined
  if (preset !== undefined) return { ...limit, ...fromPreset(preset), name }
  const names = agentNames(Object.keys(own))
  const nearest = didYouMean(name, names)
  const list = nearest.endsWith('?') ? ` There are ${names.join(', ')}.` : '.'
  throw new PawlError('usage.unknown-agent', `There is no agent "${name}"${nearest}${list}`, { value: name })
}

function fromPreset({ program, arguments: words, briefAs, environment, variables }: AgentPreset) {
  const command = [...(program === undefined ? tinkerCommand() : [program]), ...words]
  return { command, briefAs, environment, ...(variables && { variables }) }
}
