import { agentName, type PartSpec, type RunConfig } from '../../core/run-config.ts'
import type { JsonObject } from '../../core/json.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { flagSettings } from '../../schema/flags.ts'
import { projectSchema } from '../../settings/project-schema.ts'

interface TimeoutFlag {
  readonly timeout?: string
}

/** `pawl.yaml` with `--timeout` in the place of `agent_timeout`: both hold for every agent without its own limit. */
export function withCommonLimit<Config extends PawlConfig | undefined>(config: Config, flags: TimeoutFlag): Config | PawlConfig {
  const agentTimeoutMs = agentTimeout(flags)
  return agentTimeoutMs === undefined ? config : { agents: {}, checks: [], ...config, agentTimeoutMs }
}

/** How long an agent may take, as `--timeout` says. */
export function agentTimeout({ timeout }: TimeoutFlag): number | undefined {
  const { agent_timeout } = projectSchema.entries
  return flagSettings({ agent_timeout }, { timeout })['agent_timeout'] as number | undefined
}

/**
 * The parts of a run with the limit of `config` for all who work beside its agent. One with its own limit there takes that one, as it is
 * written now.
 */
export function withTimeLimits(parts: RunConfig, { agents = {}, agentTimeoutMs }: PawlConfig): RunConfig {
  const limited = (spec: PartSpec): PartSpec => {
    const name = agentName(spec)
    const own = Object.hasOwn(agents, name) ? agents[name]?.timeoutMs : undefined
    const timeoutMs = own ?? agentTimeoutMs
    return timeoutMs === undefined || spec.name === WITHOUT_LIMIT ? spec : { ...spec, settings: { ...spec.settings, timeoutMs } }
  }
  const all = (specs: Readonly<Record<string, PartSpec>>): Readonly<Record<string, PartSpec>> =>
    Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, limited(spec)]))
  const { fallbacks, roles, experts, questioner } = parts
  return {
    ...parts,
    ...(fallbacks ? { fallbacks: fallbacks.map(limited) } : {}),
    ...(roles ? { roles: all(roles) } : {}),
    ...(experts ? { experts: all(experts) } : {}),
    ...(questioner ? { questioner: limited(questioner) } : {}),
    checks: parts.checks.map((check) => {
      const reviewer = check.settings['agent'] as PartSpec | undefined
      if (reviewer === undefined) return check
      return { ...check, settings: { ...check.settings, agent: limited(reviewer) as unknown as JsonObject } }
    }),
  }
}

/** Comes with Pawl and needs no agent. */
const WITHOUT_LIMIT = 'explorer'
