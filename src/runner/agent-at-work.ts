import { isDeepStrictEqual } from 'node:util'
import { agentName } from '../core/answered-config.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { State } from '../core/state.ts'
import type { Parts } from './parts.ts'

/** The parts with the agent that works now: the one that was given, or the expert that a person put in its place. */
export async function withAgentAtWork(parts: Parts, { run, config, given }: State): Promise<Parts> {
  if (config.agent === given.agent || isDeepStrictEqual(config.agent, given.agent)) return parts
  if (parts.agentOf) return { ...parts, agent: await parts.agentOf(config.agent) }
  throw new PawlError(
    'run.no-expert',
    `A person put the agent ${agentName(config.agent)} to work on run ${run}, and this program does not have it: resume it with one that has.`,
    { value: config.agent },
  )
}
