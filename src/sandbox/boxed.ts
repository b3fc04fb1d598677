import type { Agent } from '../agents/agent.ts'
import { isolationOfRole, type OwnIsolations } from '../core/run-config.ts'
import type { Check } from '../checks/check.ts'
import type { Box } from '../process/box.ts'
import type { CommandTrouble } from '../process/command-trouble.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { BoxRequest, Isolation, OpenBox } from './isolation.ts'
import { PROBE } from '../agents/write-probe.ts'

/** Puts agents, checks and commands into boxes. */
export interface Boxes {
  /** `role` is the one that it plays, for what has to be there before any work. */
  agent(agent: Agent, role: string): Agent
  check(check: Check): Check
  /** A box in a folder, inside the one that the folder may be in already. Absent if the run as a whole has no isolation. */
  readonly open?: (place: BoxPlace, purpose: BoxRequest['purpose'], onRefusal?: BoxRequest['onRefusal']) => Promise<OpenBox>
}

/** What keeps the parts of a run away from the rest of the machine. */
export interface RunIsolation {
  /** The name of the loop, since roles have their meaning from it. */
  readonly loop: string
  readonly isolation?: Isolation
  readonly isolations?: OwnIsolations<Isolation>
  /** Folders that nothing in a box may see. */
  readonly hidden: readonly string[]
}

interface BoxPlace {
  readonly cwd: string
  readonly box?: Box
  /** The workspace, if `cwd` is a copy of it. */
  readonly workspace?: string
}

/** The boxes of a run; `undefined` if nothing of it is isolated. */
export function boxesOf({ loop, isolation: general, isolations: own = {}, hidden }: RunIsolation): Boxes | undefined {
  const hiding = (plain: Isolation): Isolation => ({ ...plain, open: (request) => plain.open({ ...request, hidden }) })
  const hidingAll = (all: OwnIsolations<Isolation>['roles'] = {}) =>
    Object.fromEntries(Object.entries(all).map(([name, each]) => [name, each === 'none' ? each : hiding(each)] as const))
  const isolation = general && hiding(general)
  const [roles, checks] = [hidingAll(own.roles), hidingAll(own.checks)]
  const all = [isolation, ...Object.values(roles), ...Object.values(checks)].filter(
    (each) => each !== undefined && each !== 'none',
  )
  if (all.length === 0) return undefined
  const ofRole = (role: string): Isolation | undefined =>
    isolationOfRole(loop, role, { ...(isolation ? { isolation } : {}), isolations: { roles } })
  const agentIn = (agent: Agent, role: string): Agent => boxedAgent(agent, { ofRole, all, role })
  return {
    agent: agentIn,
    check: (check) => {
      const { [check.name]: its = isolation } = checks
      if (check.reviewer) return reviewBy(check.reviewer, agentIn(check.reviewer.agent, REVIEWER))
      return its === undefined || its === 'none' ? check : boxedCheck(check, its)
    },
    ...(isolation ? { open: (place, purpose, onRefusal) => boxIn(isolation, place, purpose, onRefusal) } : {}),
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

const REVIEWER = 'reviewer'

/** A review whose agent is in a box. An agent that isn't there is found before any work. */
function reviewBy({ withAgent }: NonNullable<Check['reviewer']>, agent: Agent): Check {
  const { ready } = agent
  return { ...withAgent(agent), ...(ready ? { ready } : {}) }
}

interface AgentBoxes {
  readonly ofRole: (role: string) => Isolation | undefined
  /** Every isolation of the run: one that doesn't work is found before any work, whoever needs it. */
  readonly all: readonly Isolation[]
  readonly role: string
}

/** The agent with everything it starts in a box of its own, which is closed after the work. */
function boxedAgent(agent: Agent, { ofRole, all, role }: AgentBoxes): Agent {
  const boxed: Pick<Agent, 'ready' | 'work'> = {
    ready: async (cwd) => {
      const own = ofRole(role)
      if (own && agent.isInProcess)
        return {
          fault: 'config',
          message: `No box holds the agent ${agent.spec.name}: it works within Pawl's own process.`,
          fix: 'Choose an agent that is a program, or `isolation: none`.',
        }
      for (const each of all) {
        const trouble = await each.ready(each === own ? (agent.needs ?? {}) : undefined)
        if (trouble) return trouble
      }
      return own?.hasOwnPrograms ? undefined : agent.ready?.(cwd)
    },
    work: async (request, context) => {
      const isolation = ofRole(request.role === PROBE ? role : request.role)
      if (!isolation) return agent.work(request, context)
      const { needs: own } = agent
      const { sessions } = request
      const needs = sessions === undefined ? own : { ...own, home: [...(own?.home ?? []), sessions] }
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
  // What is around an agent already may be its prototype.
  return Object.assign(Object.create(agent) as Agent, boxed)
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
