import { isDeepStrictEqual } from 'node:util'
import { agentName } from '../core/run-config.ts'
import { agentNow } from '../core/fallback.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { State } from '../core/state.ts'
import type { Agent } from '../agents/agent.ts'
import type { Parts } from './parts.ts'

/**
 * The parts with the agent that works now: the expert that a person put in the place of all others, the one that plays the role
 * (`coder_a` plays `coder:coder_a`, `explore` or else `fast` plays `fast:explore`), or the one that was given; or, in the place of any of
 * these, the one that takes over for it while it cannot work.
 */
export async function withAgentAtWork(parts: Parts, state: State, role: string): Promise<Parts> {
  const named = await withNamedAgent(parts, state, role)
  const agent = standingIn(parts, state, named.agent)
  return agent === named.agent ? named : { ...named, agent }
}

/** The parts with the reviewer that works now, where the check is one and another agent takes over for it. */
export function withReviewerAtWork(parts: Parts, state: State, name: string): Parts {
  const check = parts.checks.find((each) => each.name === name)
  const { agent, withAgent } = check?.reviewer ?? {}
  const now = agent && standingIn(parts, state, agent)
  if (!now || !withAgent || now === agent) return parts
  return { ...parts, checks: parts.checks.map((each) => (each === check ? withAgent(now) : each)) }
}

/** Who continues for an agent now; itself if nobody has to. */
export function standingIn(parts: Parts, state: State, agent: Agent): Agent {
  const own = agentName(agent.spec)
  const name = agentNow(state, own)
  if (name === own) return agent
  const others = [...(parts.fallbacks ?? []), parts.agent, ...Object.values(parts.roles ?? {})]
  const found = others.find(({ spec }) => agentName(spec) === name)
  if (found) return found
  throw new PawlError(
    'run.no-fallback',
    `${name} works in place of ${own} in run ${state.run}, and this program does not have it: resume it with one that has.`,
    { value: name },
  )
}

async function withNamedAgent(parts: Parts, { run, config, given }: State, role: string): Promise<Parts> {
  if (config.agent === given.agent || isDeepStrictEqual(config.agent, given.agent)) return withRole(parts, config, run, role)
  if (parts.agentOf) return { ...parts, agent: await parts.agentOf(config.agent) }
  throw new PawlError(
    'run.no-expert',
    `A person put the agent ${agentName(config.agent)} to work on run ${run}, and this program does not have it: resume it with one that has.`,
    { value: config.agent },
  )
}

function withRole(parts: Parts, { roles }: State['config'], run: string, role: string): Parts {
  if (!roles) return parts
  const [group = ''] = role.split(':', 1)
  const name = [role, role.slice(role.indexOf(':') + 1), group].find((each) => Object.hasOwn(roles, each))
  if (name === undefined) return parts
  const agent = parts.roles?.[name]
  if (agent) return { ...parts, agent }
  throw new PawlError(
    'run.no-role',
    `The role ${name} of run ${run} is played by an agent that this program does not have: resume it with one that has.`,
    { value: name },
  )
}
