import { PawlError } from '../core/pawl-error.ts'
import { type PartSpec, partSpec } from '../core/run-config.ts'
import { AGENT_PRESETS, agentNames, driverNames } from './agent-presets.ts'
import { didYouMean } from '../core/names.ts'
import { otherAgentSpec } from './other-agents.ts'
import type { ConfiguredAgent, ConfiguredDriver, PawlConfig } from './pawl-config.ts'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The agent of this name as data: the user's own first, so that a preset can be run another way, then the presets. The time limit is the
 * agent's own, else `agent_timeout`, else left to the driver. A name nobody has is a `usage.unknown-agent` error.
 */
export function resolveAgent(name: string, config?: PawlConfig): PartSpec {
  const own = config?.agents ?? {}
  const limit = config?.agentTimeoutMs === undefined ? {} : { timeoutMs: config.agentTimeoutMs }
  const agent = Object.hasOwn(own, name) ? own[name] : undefined
  if (agent !== undefined) return ownAgent(name, agent, limit)
  if (driverNames().includes(name)) return partSpec(name, limit)
  if (Object.hasOwn(AGENT_PRESETS, name)) return partSpec('command', { ...limit, ...tinker(), name })
  const example = Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] : undefined
  if (example !== undefined) {
    const message = `"${name}" is a kind of agent, and an entry in pawl.yaml says which one; --agent takes the entry's name:\n${example}`
    throw new PawlError('usage.unknown-agent', message, { value: name })
  }
  const names = agentNames(Object.keys(own))
  const nearest = didYouMean(name, names)
  const list = nearest.endsWith('?') ? ` There are ${names.join(', ')}.` : '.'
  throw new PawlError('usage.unknown-agent', `There is no agent "${name}"${nearest}${list}`, { value: name })
}

/** How an agent of that kind looks in pawl.yaml. */
const EXAMPLES: Readonly<Record<string, string>> = {
  acp: 'agents:\n  my-agent:\n    acp: my-agent --acp',
  'ai-sdk': 'agents:\n  my-model:\n    { base_url: http://127.0.0.1:11434/v1, model: my-model }',
}

type Limit = { readonly timeoutMs?: number }

function ownAgent(name: string, agent: ConfiguredAgent, limit: Limit): PartSpec {
  if ('command' in agent) return partSpec('command', { briefAs: 'stdin', environment: [], ...limit, ...agent, name })
  const other = otherAgentSpec(name, agent, limit)
  if (other) return other
  const { driver = name, ...settings } = agent as ConfiguredDriver
  return partSpec(driver, { ...limit, ...settings, ...(driver === name ? {} : { name }) })
}

function tinker() {
  const environment = ['PAWL_TINKER_TRIES_MAX', 'PAWL_TINKER_SECONDS_MAX', 'PAWL_TINKER_SEED']
  return { command: tinkerCommand(), briefAs: 'stdin', environment }
}

/** How Pawl's own small agent is started: with the Node that runs now, from the bundle beside this one, or from its source. */
export function tinkerCommand(): readonly string[] {
  const places = (import.meta.url.endsWith('.ts') ? FROM_SOURCE : FROM_BUNDLE).map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find((place) => existsSync(place))
  if (found !== undefined) return [process.execPath, found]
  throw new PawlError(
    'agent.tinker-missing',
    `Pawl's own agent tinker is not at ${places[0]}: install Pawl again, or build it with \`npm start\`.`,
    { value: places },
  )
}

const FROM_SOURCE = ['../tinker/main.ts']

/** The bundler may put this code into a chunk in a folder below. */
const FROM_BUNDLE = ['./tinker.mjs', '../tinker.mjs']
