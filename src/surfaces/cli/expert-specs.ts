import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { agentSpec } from './run-settings.ts'

/** The experts of pawl.yaml as data, by the guard they are for; nothing where there are none. */
export function expertSpecs(config: PawlConfig | undefined, checks: readonly PartSpec[]): Pick<RunConfig, 'experts'> {
  const experts = Object.entries(config?.experts ?? {}).map(([guard, agent]) => [guard, agentSpec({ agent }, config, checks)])
  return experts.length === 0 ? {} : { experts: Object.fromEntries(experts) }
}
