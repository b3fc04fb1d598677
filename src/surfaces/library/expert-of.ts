import { isDeepStrictEqual } from 'node:util'
import { agentName, type PartSpec } from '../../core/run-config.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { redactJson } from '../../secrets/filter.ts'
import type { Agent } from '../../agents/agent.ts'

/** Finds an agent of this program by its data as the journal has it, where secrets are left out. */
export function expertOf(experts: readonly Agent[]): (spec: PartSpec) => Promise<Agent> {
  return async (spec) => {
    for (const expert of experts) {
      const recorded: unknown = JSON.parse(JSON.stringify(await redactJson(expert.spec)))
      if (isDeepStrictEqual(recorded, JSON.parse(JSON.stringify(spec)))) return expert
    }
    throw new PawlError(
      'run.no-expert',
      `A person put the agent ${agentName(spec)} to work, and this program does not have it: give it in experts.`,
      { value: spec },
    )
  }
}
