import type { Agent, WorkResult } from '../agents/agent.ts'
import type { Check } from '../checks/check.ts'
import { counted } from '../core/wording.ts'
import type { Denied, Refusal } from '../core/event-data.ts'
import type { Isolation } from './isolation.ts'

/** The agent with everything it starts in a box of its own, which is closed after the work. */
export function boxedAgent(agent: Agent, isolation: Isolation): Agent {
  return {
    ...agent,
    ready: async (cwd) => {
      if (agent.isInProcess)
        return {
          fault: 'config',
          message: `No box holds the agent ${agent.spec.name}: it works within Pawl's own process.`,
          fix: 'Choose an agent that is a program, or `isolation: none`.',
        }
      return (await isolation.ready()) ?? agent.ready?.(cwd)
    },
    work: async (request, context) => {
      const { needs } = agent
      const onRefusal = (refusal: Refusal): void => context.progress(`The box refused ${refusalWords(refusal)}.`)
      const box = await isolation.open({ cwd: request.cwd, purpose: 'work', ...(needs ? { needs } : {}), onRefusal })
      try {
        return withRefusals(await agent.work({ ...request, box }, context), box.refusals())
      } finally {
        await box.close()
      }
    },
  }
}

/** The same for a check that runs a command. In a room of a proof, the box is inside the room. */
export function boxedCheck(check: Check, isolation: Isolation): Check {
  if (check.spec.name !== 'command') return check
  return {
    ...check,
    run: async (request, context) => {
      const onRefusal = (refusal: Refusal): void => context.progress(`The box refused ${refusalWords(refusal)}.`)
      const box = await isolation.open({ cwd: request.box?.cwd ?? request.cwd, purpose: 'check', onRefusal })
      try {
        return await check.run({ ...request, box: { ...box, prefix: [...(request.box?.prefix ?? []), ...box.prefix] } }, context)
      } finally {
        await box.close()
      }
    },
  }
}

function withRefusals(result: WorkResult, refused: readonly Refusal[]): WorkResult {
  if (refused.length === 0 || result.status === 'aborted' || result.status === 'asked') return result
  return { ...result, refused, denied: result.denied ?? deniedBy(refused) }
}

/** The refusals for the brief and the question, with the lines that would allow them. */
function deniedBy(refused: readonly Refusal[]): Denied {
  const hosts = refused.filter(({ what }) => what === 'host').map(({ name }) => name)
  const paths = refused.filter(({ what }) => what === 'write').map(({ name }) => name)
  const lines = [
    ...(hosts.length === 0 ? [] : [`allow: [${hosts.join(', ')}]`]),
    ...(paths.length === 0 ? [] : [`writable: [${paths.join(', ')}]`]),
  ]
  return {
    calls: refused.length,
    message: `The box refused ${counted(refused.length, 'thing')}: ${refused.map(refusalWords).join(', ')}.`,
    fix: `To allow it, write under \`sandbox\` in pawl.yaml: ${lines.join(' and ')}`,
  }
}

function refusalWords({ what, name, program }: Refusal): string {
  const by = program === undefined ? '' : ` by ${program}`
  return what === 'host' ? `a connection to ${name}${by}` : `a write to ${name}${by}`
}
