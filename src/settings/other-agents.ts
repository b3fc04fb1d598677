import { resolve } from 'node:path'
import { type PartSpec, partSpec } from '../core/run-config.ts'
import type { CommandLine } from '../process/command-options.ts'
import type { FileProblem } from '../schema/read-value.ts'
import { AGENT_KEYS } from './project-schema.ts'

/** An agent that speaks the Agent Client Protocol. */
export interface ConfiguredAcp {
  readonly acp: CommandLine
  readonly mode?: string
  readonly model?: string
  readonly session?: 'fresh' | 'continue'
  readonly permissions?: string | Readonly<Record<string, string>>
  readonly authMethod?: string
  readonly timeoutMs?: number
  readonly environment?: readonly string[]
}

/** A model of the AI SDK: one that a file exports, or one behind an address. */
export interface ConfiguredModel {
  readonly module?: string
  readonly baseUrl?: string
  readonly model?: string
  /** The name of the variable that holds the key. */
  readonly key?: string
  readonly instructions?: string
  readonly stepsMax?: number
  readonly prices?: object
  readonly timeoutMs?: number
}

/** The agent as data, if it is one of these; `undefined` for a program or a known agent. */
export function otherAgentSpec(name: string, agent: object, limit: { readonly timeoutMs?: number }): PartSpec | undefined {
  if ('acp' in agent) {
    const { acp, ...settings } = agent as ConfiguredAcp
    return partSpec('acp', { ...limit, ...settings, ...acp, name })
  }
  if (!('module' in agent) && !('baseUrl' in agent)) return undefined
  return partSpec('ai-sdk', { ...limit, ...agent, name })
}

/** A file that exports a model lies where `pawl.yaml` says, wherever the agent works. */
export function withModulesFrom<Agents extends Readonly<Record<string, object>>>(agents: Agents, folder: string): Agents {
  const placed = Object.entries(agents).map(([name, agent]) => {
    const { module } = agent as ConfiguredModel
    return [name, module === undefined ? agent : { ...agent, module: resolve(folder, module) }]
  })
  return Object.fromEntries(placed) as Agents
}

/** What is wrong between the keys of such an agent; `undefined` if it isn't one. */
export function otherAgentProblems(
  agent: Readonly<Record<string, unknown>>,
  path: FileProblem['path'],
): readonly FileProblem[] | undefined {
  const kind = ['acp', 'module', 'base_url'].find((key) => agent[key] !== undefined)
  if (kind === undefined) return undefined
  const allowed = KEYS[kind] ?? []
  const what = kind === 'acp' ? 'an agent with `acp`' : `a model with \`${kind}\``
  const misplaced = Object.keys(agent).filter((key) => !allowed.includes(key))
  const problems = misplaced.map((key) => ({
    path: [...path, key],
    message: `${key}: ${what} does not have it${INSTEAD[`${kind}.${key}`] ?? ''}`,
  }))
  if (kind !== 'base_url' || agent['model'] !== undefined) return problems
  return [...problems, { path, message: '"model" is missing: it must be the name of the model behind base_url' }]
}

/** The keys that an agent of a kind may have. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  acp: Object.keys(AGENT_KEYS.acp),
  module: Object.keys(AGENT_KEYS.model).filter((key) => !['base_url', 'model', 'key'].includes(key)),
  base_url: Object.keys(AGENT_KEYS.model).filter((key) => key !== 'module'),
}

const AFRESH = '; every piece of work of a model begins afresh'
const FOLDER_TOOLS = '; a model reads and edits the files of its folder, and nothing else'

/** What is right in place of a key that a known agent has. */
const INSTEAD: Readonly<Record<string, string>> = {
  'acp.permission_mode':
    "; name one of the agent's own modes with `mode`, and say with `permissions` what becomes of what it asks",
  'acp.arguments': '; write them into the command that `acp` names',
  'module.model': '; the file that it names says which model it is',
  'module.session': AFRESH,
  'base_url.session': AFRESH,
  'module.permission_mode': FOLDER_TOOLS,
  'base_url.permission_mode': FOLDER_TOOLS,
}
