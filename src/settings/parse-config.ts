import { camelCase, type Entries, fileEntries, settingsFromFile } from '../schema/file-kinds.ts'
import { PART_SETTINGS } from '../registry/_settings.ts'
import type { CeilingLimits } from '../registry/ceilings.ts'
import { settingsSchema } from '../schema/kinds.ts'
import { agentLine, checkLine, type RawCommand, ruleProblems } from './config-rules.ts'
import type { PawlConfig } from './pawl-config.ts'
import { CEILINGS, projectSchema } from './project-schema.ts'
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
  return toConfig(raw as unknown as RawConfig)
}

/** Reads the text of the user's own `ceilings.yaml`. */
export function parseCeilings(text: string, file: string): CeilingLimits {
  const read = readYaml(text, file, {
    schema: () => settingsSchema(fileEntries(CEILINGS.entries)),
    code: 'config.invalid',
    empty: {},
  })
  return renamed(read) as CeilingLimits
}

/** What needs more than other names. */
interface RawConfig {
  readonly agents?: Readonly<Record<string, RawAgent>>
  readonly checks?: readonly { readonly name: string; readonly command: RawCommand; readonly isolation?: string }[]
  readonly roles?: Readonly<Record<string, string>>
  readonly role_isolation?: Readonly<Record<string, string>>
}

interface RawAgent {
  readonly driver?: string
  readonly command?: RawCommand
  readonly acp?: RawCommand
  readonly shell?: boolean
}

function toConfig({ agents = {}, checks = [], roles, role_isolation: roleIsolation, ...rest }: RawConfig): PawlConfig {
  const ownAgents = Object.entries(agents).map(([name, agent]) => {
    const { driver, command, acp, shell } = agent
    return [
      name,
      {
        ...settingsOf(AGENT_SETTINGS, agent),
        ...(driver === undefined ? {} : { driver }),
        ...(command === undefined ? {} : agentLine(command, shell)),
        ...(acp === undefined ? {} : { acp: agentLine(acp) }),
      },
    ]
  })
  const ownChecks = checks.map((check) => ({ ...settingsOf(CHECK_SETTINGS, check), ...checkLine(check.command) }))
  // Names of roles are the user's own, and stay as they are written.
  const ownRoles = { ...(roles === undefined ? {} : { roles }), ...(roleIsolation === undefined ? {} : { roleIsolation }) }
  const isolated = checks.flatMap(({ name, isolation }) => (isolation === undefined ? [] : [[name, isolation]]))
  const checkIsolation = isolated.length === 0 ? {} : { checkIsolation: Object.fromEntries(isolated) }
  return {
    ...renamed(rest),
    ...ownRoles,
    ...checkIsolation,
    agents: Object.fromEntries(ownAgents),
    checks: ownChecks,
  } as unknown as PawlConfig
}

/** The settings of agents of all kinds. */
const AGENT_SETTINGS: Entries = {
  ...PART_SETTINGS['acp-agent'].entries,
  ...PART_SETTINGS['model-agent'].entries,
  ...PART_SETTINGS['command-agent'].entries,
  ...PART_SETTINGS['known-agent'].entries,
}

const CHECK_SETTINGS: Entries = PART_SETTINGS['command-check'].entries

/** The settings by the names that programs have for them; a command is read apart. */
function settingsOf(entries: Entries, given: object): object {
  const { command: _text, shell: _too, ...settings } = settingsFromFile(entries, given)
  return settings
}

/** Our names end with their units; a file for people does without them. */
const NAMES: Readonly<Record<string, string>> = {
  budget_time: 'budgetTimeMs',
  max_wait: 'maxWaitMs',
  agent_timeout: 'agentTimeoutMs',
}

/** The same with camelCase keys, all the way down. */
function renamed(map: object): object {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [NAMES[key] ?? camelCase(key), inside(value)]))
}

function inside(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? renamed(value) : value
}
