import { camelCase } from '../schema/file-kinds.ts'
import { agentLine, checkLine, ruleProblems } from './config-rules.ts'
import type { PawlConfig } from './pawl-config.ts'
import { projectSchema, type RawCommand } from './project-schema.ts'
import { readYaml } from './yaml-file.ts'

/** Reads the text of a `pawl.yaml`. Everything wrong in it is one `config.invalid` error, a line each: `FILE:LINE:COLUMN: what`. */
export function parseConfig(text: string, file: string): PawlConfig {
  const raw = readYaml(text, file, {
    schema: () => projectSchema,
    code: 'config.invalid',
    // Nothing at all, or nothing but comments: everything as it is by default.
    empty: {},
    problems: ruleProblems,
  })
  return toConfig(raw as RawConfig)
}

/** What needs more than other names. */
interface RawConfig {
  readonly agents?: Readonly<Record<string, RawAgent>>
  readonly checks?: readonly { readonly command: RawCommand }[]
  readonly roles?: Readonly<Record<string, string>>
}

interface RawAgent {
  readonly command?: RawCommand
  readonly acp?: RawCommand
  readonly shell?: boolean
  readonly permissions?: unknown
}

function toConfig({ agents = {}, checks = [], roles, ...rest }: RawConfig): PawlConfig {
  const ownAgents = Object.entries(agents).map(([name, { command, acp, permissions, shell, ...agent }]) => [
    name,
    {
      ...renamed(agent),
      ...(command === undefined ? {} : agentLine(command, shell)),
      ...(acp === undefined ? {} : { acp: agentLine(acp) }),
      // Kinds of tools are the protocol's words.
      ...(permissions === undefined ? {} : { permissions }),
    },
  ])
  const ownChecks = checks.map(({ command, ...check }) => ({ ...renamed(check), ...checkLine(command) }))
  // Names of roles are the user's own, and stay as they are written.
  const ownRoles = roles === undefined ? {} : { roles }
  return { ...renamed(rest), ...ownRoles, agents: Object.fromEntries(ownAgents), checks: ownChecks } as unknown as PawlConfig
}

/** Units stand last in our names; a file for people does without them. */
const NAMES: Readonly<Record<string, string>> = {
  budget_time: 'budgetTimeMs',
  agent_timeout: 'agentTimeoutMs',
  timeout: 'timeoutMs',
  brief: 'briefAs',
}

/** The same with camelCase keys, all the way down. */
function renamed(map: object): object {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [NAMES[key] ?? camelCase(key), inside(value)]))
}

function inside(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? renamed(value) : value
}
