import type { Agent } from '../agents/agent.ts'
import type { Check } from '../checks/check.ts'
import type { Box } from '../process/box.ts'
import type { CommandTrouble } from '../process/command-trouble.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { BoxRequest, Isolation, OpenBox } from './isolation.ts'

/** Puts agents, checks and commands into boxes. */
export interface Boxes {
  agent(agent: Agent): Agent
  check(check: Check): Check
  /** A box in a folder, inside the one that the folder may be in already. */
  open(place: BoxPlace, purpose: BoxRequest['purpose'], onRefusal?: BoxRequest['onRefusal']): Promise<OpenBox>
}

interface BoxPlace {
  readonly cwd: string
  readonly box?: Box
  /** The workspace, if `cwd` is a copy of it. */
  readonly workspace?: string
}

/** The boxes of an isolation; `hidden` are folders that nothing in them may see. */
export function boxesOf(plain: Isolation, hidden: readonly string[] = []): Boxes {
  const isolation: Isolation = { ...plain, open: (request) => plain.open({ ...request, hidden }) }
  return {
    agent: (agent) => boxedAgent(agent, isolation),
    check: (check) => boxedCheck(check, isolation),
    open: (place, purpose, onRefusal) => boxIn(isolation, place, purpose, onRefusal),
  }
}

async function boxIn(
  isolation: Isolation,
  { cwd, box: outer, workspace }: BoxPlace,
  purpose: BoxRequest['purpose'],
  onRefusal?: BoxRequest['onRefusal'],
): Promise<OpenBox> {
  const beside = workspace === undefined ? {} : { workspace }
  const box = await isolation.open({ cwd: outer?.cwd ?? cwd, purpose, ...beside, ...(onRefusal ? { onRefusal } : {}) })
  return { ...box, prefix: [...(outer?.prefix ?? []), ...box.prefix] }
}

/** The agent with everything it starts in a box of its own, which is closed after the work. */
function boxedAgent(agent: Agent, isolation: Isolation): Agent {
  return {
    ...agent,
    ready: async (cwd) => {
      if (agent.isInProcess)
        return {
          fault: 'config',
          message: `No box holds the agent ${agent.spec.name}: it works within Pawl's own process.`,
          fix: 'Choose an agent that is a program, or `isolation: none`.',
        }
      return (await isolation.ready(agent.needs ?? {})) ?? (isolation.hasOwnPrograms ? undefined : agent.ready?.(cwd))
    },
    work: async (request, context) => {
      const { needs } = agent
      const { refused: onRefusal } = context
      const box = await orTrouble(
        isolation,
        isolation.open({
          cwd: request.cwd,
          purpose: 'work',
          ...(needs ? { needs } : {}),
          ...(onRefusal ? { onRefusal } : {}),
        }),
      )
      if ('fault' in box) {
        await context.started()
        return { status: 'failed', ...box }
      }
      try {
        return await agent.work({ ...request, box }, recorded(context, box))
      } finally {
        await box.close()
      }
    },
  }
}

/** The same for a check that runs a command. In a room of a proof, the box is inside the room. */
function boxedCheck(check: Check, isolation: Isolation): Check {
  if (check.spec.name !== 'command') return check
  return {
    ...check,
    ready: () => isolation.ready(),
    ...(isolation.hasOwnPrograms ? { needsCopy: true } : {}),
    run: async (request, context) => {
      const box = await orTrouble(isolation, boxIn(isolation, request, 'check', context.refused))
      if ('fault' in box) {
        await context.started()
        return { status: 'errored', ...box }
      }
      try {
        return await check.run({ ...request, box }, recorded(context, box))
      } finally {
        await box.close()
      }
    },
  }
}

/** A box that can't be opened is a problem for a person: nothing ever works without the box that was asked for. */
async function orTrouble(isolation: Isolation, opening: Promise<OpenBox>): Promise<OpenBox | CommandTrouble> {
  try {
    return await opening
  } catch (error) {
    const message = `The box can't be opened: ${(error as Error).message}`
    return (await isolation.ready()) ?? { fault: 'environment', message, fix: 'Run `pawl doctor`.' }
  }
}

/** The journal has what the box enforces beside the start of the program in it. */
function recorded(context: EffectContext, { enforced }: OpenBox): EffectContext {
  return { ...context, started: (process) => context.started(process, enforced) }
}
