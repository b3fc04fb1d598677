import type { JsonObject } from '../../core/json.ts'
import type { PartSpec } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'

/** The agent's name in the configuration of every run that is driven through MCP. */
export const AGENT = 'mcp'

/** A stop hook as it was registered. */
export interface StopHook {
  readonly hookId: string
  readonly hookType: 'default' | 'validation' | 'promise'
  readonly metadata?: JsonObject
}

/** The arguments of `iteration_start`, kept with the agent because no other part needs it. */
export interface OutsideSettings {
  readonly taskId: string
  /** As they were written, `<promise>BLOCKED</promise>` with them. */
  readonly completionPromises: readonly string[]
  readonly validationRules: readonly JsonObject[]
  readonly circuitBreakerThreshold: number
  /** As the agent asked for it; pawl.yaml may allow less. Absent in runs of an earlier version. */
  readonly maxIterations?: number
  readonly hooks: readonly StopHook[]
}

/** The agent of a run as data. */
export function outsideSpec(settings: OutsideSettings): PartSpec {
  return { name: AGENT, v: 1, settings: JSON.parse(JSON.stringify(settings)) as JsonObject }
}

/** What a run was started with; `undefined` for one that is not driven through MCP. */
export function outsideSettings({ config: { agent } }: Pick<State, 'config'>): OutsideSettings | undefined {
  return agent.name === AGENT ? (agent.settings as unknown as OutsideSettings) : undefined
}
