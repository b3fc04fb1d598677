import { isDeepStrictEqual } from 'node:util'
import { agentName } from '../core/answered-config.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { State } from '../core/state.ts'
import type { Parts } from './parts.ts'

/**
 * The parts with the agent that works now: the expert that a person put in the place of all others, the one that plays the role
 * (`coder_a` plays `coder:coder_a`), or the one that was given.
 */
export async function withAgentAtWork(parts: Parts, { run, config, given }: State, role: string): Promise<Parts> {
  if (config.agent === given.agent || isDeepStrictEqual(config.agent, given.agent)) return withRole(parts, config, run, role)
  if (parts.agentOf) return { ...parts, agent: await parts.agentOf(config.agent) }
  throw new PawlError(
    'run.no-expert',
    `A person put the agent ${agentName(config.agent)} to work on run ${run}, and this program does not have it: resume it with one that has.`,
    { value: config.agent },
  )
}

function withRole(parts: Parts, { roles = {} }: State['config'], run: string, role: string): Parts {
  const name = [role, role.slice(role.indexOf(':') + 1)].find((each) => Object.hasOwn(roles, each))
  if (name === undefined) return parts
  const agent = parts.roles?.[name]
  if (agent) return { ...parts, agent }
  throw new PawlError(
    'run.no-role',
    `The role ${name} of run ${run} is played by an agent that this program does not have: resume it with one that has.`,
    { value: name },
  )
}
