import type { AgentAsk } from '../core/agent-ask.ts'
import { memoizedDefinition } from '../core/definition.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { Guard } from '../core/guard.ts'
import { guardFrom } from '../guards/index.ts'
import type { Loop } from '../core/loop.ts'
import type { PartSpec } from '../core/run-config.ts'
import type { Agent, WorkResult } from '../agents/agent.ts'
import type { Check, CheckResult } from '../checks/check.ts'
import type { Clock } from '../process/clock.ts'
import type { Parts, Person } from '../engine/parts.ts'
import type { SealedEvent, Store } from '../stores/store.ts'
import type { Workspace } from '../workspaces/workspace.ts'
import { drive, type DriveResult } from '../engine/drive.ts'
import { answerRun } from '../engine/person-facts.ts'
import { type Files, memoryCodebase, memoryWorkspace } from './memory-parts.ts'

/** A loop to simulate: what the agent does to the files and what the check says about them. Both must be pure. */
export interface Scenario {
  readonly loop: Loop
  readonly guards: readonly Guard[]
  readonly files: Readonly<Record<string, string>>
  /** Edits the files step by step; a crash may come between two steps. */
  readonly work: (iteration: number, brief: string) => readonly ((files: Files) => void)[]
  /** What the agent asks after its first step. The answer goes into the file `answer`. Default: nothing. */
  readonly asks?: AgentAsk
  /** How the work ends after its steps. Default: finished. */
  readonly result?: (iteration: number, now: number, role: string, agent: string, brief: string) => WorkResult
  /** Names of agents that take over when `simulated` can't continue; `result` gets the agent's name. Default: none. */
  readonly fallbacks?: readonly string[]
  readonly onLimit?: 'wait' | 'switch'
  readonly check: (files: Files) => CheckResult
  /** An agent that reviews what passes the check. Default: none. */
  readonly review?: (files: Files) => CheckResult
  /** What a check or reviewer says that an answer adds; a pass then needs a proof. Default: any pass is done. */
  readonly added?: (files: Files) => CheckResult
  /** Whether a person reviews it; `answer` then gives the review. */
  readonly isReviewedByPerson?: true
  /** The text of an agent that phrases questions. Default: none. */
  readonly question?: string
  readonly answer?: Person['ask']
  /** An answer that someone gives while no process drives the run, which then continues. Default: an open question ends it. */
  readonly answerLater?: string
  /** The agent works within the engine's process. */
  readonly isInProcess?: true
}

export interface SimulationResult {
  readonly outcome: DriveResult
  readonly events: readonly SealedEvent[]
  readonly files: Files
  /** The commits, in order. */
  readonly commits: World['workspace']['commits']
  /** How many moments there were at which it could have crashed. */
  readonly moments: number
  readonly crashes: number
}

/** Ends the simulated process: everything it calls from then on fails and has no effect. */
class Crash extends Error {}

/**
 * Runs a scenario in simulated processes that are killed at the given moments and started again until the run ends or waits.
 * Moments are counted over all processes: before and after every append, between an agent's steps, around checks and snapshots.
 */
export async function simulate(
  scenario: Scenario,
  makeStore: (isAlive: (holder: ProcessIdentity) => boolean) => Store,
  crashAt: readonly number[],
): Promise<SimulationResult> {
  // Load the code before counting moments.
  await scenario.loop.performers?.()
  const world = makeWorld(scenario, makeStore, new Set(crashAt))
  let crashes = 0
  for (let lives = 0; lives <= crashAt.length; lives++) {
    try {
      const outcome = await driveAndAnswer(scenario, world)
      return {
        outcome,
        events: await world.store.read(RUN),
        files: world.workspace.files,
        commits: world.workspace.commits,
        moments: world.moments,
        crashes,
      }
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      crashes++
      world.process = Math.abs(world.process) + 1
    }
  }
  throw new Error('The simulated process died more often than it was killed.')
}

const RUN = 'simulated'

/** Drives until the run ends or waits, and gives the scenario's answers. */
async function driveAndAnswer(scenario: Scenario, world: World): Promise<DriveResult> {
  for (let answers = 0; ; answers++) {
    const parts = partsFor(scenario, world)
    const outcome = await drive(parts, RUN)
    if (outcome.status !== 'escalated' || scenario.answerLater === undefined || answers === ANSWERS_MAX) return outcome
    await answerRun(world.store, parts.clock, RUN, { choice: scenario.answerLater })
  }
}

const ANSWERS_MAX = 20

interface World {
  readonly store: Store
  readonly workspace: ReturnType<typeof memoryWorkspace>
  readonly crashAt: ReadonlySet<number>
  moments: number
  /** The living process; older ones are dead. */
  process: number
  now: number
}

function makeWorld(
  scenario: Scenario,
  makeStore: (isAlive: (holder: ProcessIdentity) => boolean) => Store,
  crashAt: ReadonlySet<number>,
): World {
  const world: World = {
    store: makeStore((holder) => holder.pid === world.process),
    workspace: memoryWorkspace(scenario.files),
    crashAt,
    moments: 0,
    process: 1,
    now: 1_000_000,
  }
  return world
}

/** The parts as one process sees them: it may die at every call. */
function partsFor(scenario: Scenario, world: World): Parts {
  const { process } = world
  const self: ProcessIdentity = { pid: process, startedAt: String(process), host: 'simulated' }
  const moment = (): void => {
    if (world.process !== process) throw new Crash('dead')
    if (world.crashAt.has(++world.moments)) {
      world.process = -process
      throw new Crash('killed')
    }
  }
  const dying = <Port extends object>(port: Port, names: readonly (keyof Port)[]): Port => {
    const wrapped = Object.create(port) as Port
    for (const name of names) {
      const method = port[name] as (...words: unknown[]) => Promise<unknown>
      wrapped[name] = (async (...words: unknown[]) => {
        moment()
        const result = await method.apply(port, words)
        moment()
        return result
      }) as Port[keyof Port]
    }
    return wrapped
  }
  const clock: Clock = {
    now: () => ++world.now,
    sleepUntil: async (until) => {
      moment()
      world.now = Math.max(world.now, until)
    },
  }
  const agentCalled = (name: string): Agent => ({
    spec: { name, v: 1, settings: {} },
    ...(scenario.isInProcess ? { isInProcess: true } : {}),
    work: async ({ iteration, brief, role }, context) => {
      await context.started()
      for (const [index, step] of scenario.work(iteration, brief).entries()) {
        moment()
        step(world.workspace.files)
        if (!scenario.asks || index > 0) continue
        moment()
        const answer = await context.ask?.(scenario.asks)
        if (!answer) return { status: 'asked', ask: scenario.asks, message: scenario.asks.title, session: 'simulated' }
        moment()
        world.workspace.files.set('answer', answer.option)
      }
      moment()
      return (
        scenario.result?.(iteration, world.now, role, name, brief) ?? { status: 'finished' as const, costUsd: 0.01, tokens: 10 }
      )
    },
  })
  const agent = agentCalled('simulated')
  const fallbacks = scenario.fallbacks?.map(agentCalled)
  const checks = checksFor(scenario, world, moment)
  const questioner = scenario.question === undefined ? undefined : questionerFor(scenario.question, moment)
  const store = dying(world.store, ['append', 'read', 'claim', 'renew', 'release', 'putText', 'putSnapshot', 'getSnapshot'])
  const workspace: Workspace = dying(world.workspace, ['observe', 'restore', 'open', 'commit'])
  const codebase = dying(memoryCodebase(world.workspace.files), ['verify', 'estimate'])
  return {
    definition: memoizedDefinition({ loop: () => scenario.loop, guard: (spec) => guardFrom(spec, scenario.guards) }),
    config: {
      loop: scenario.loop.spec,
      guards: scenario.guards.map((guard) => guard.spec),
      agent: agent.spec,
      ...(fallbacks ? { fallbacks: fallbacks.map(({ spec }) => spec) } : {}),
      ...(scenario.onLimit ? { onLimit: scenario.onLimit } : {}),
      checks: checks.map((check) => check.spec),
      workspace: world.workspace.spec,
      // A workspace in memory has no files that a check could run in elsewhere.
      ...(scenario.added ? {} : { proof: { require: 'unproven' } }),
      ...(questioner ? { questioner: questioner.spec } : {}),
    },
    agent,
    ...(fallbacks ? { fallbacks } : {}),
    checks,
    checkOf: async (spec) => addedCheck(scenario, world, moment, spec),
    ...(questioner ? { questioner } : {}),
    workspace,
    codebase,
    store,
    clock,
    processes: { self: () => self, end: async () => 'gone' },
    ...(scenario.answer ? { person: { ask: scenario.answer } } : {}),
  }
}

function judgeOf({ workspace }: World, moment: () => void): (said: (files: Files) => CheckResult) => Check['run'] {
  return (said) => async (_request, context) => {
    await context.started()
    moment()
    return said(workspace.files)
  }
}

function addedCheck({ check, added = check }: Scenario, world: World, moment: () => void, spec: PartSpec): Check {
  const { name, review } = spec.settings
  const kind = review === undefined ? {} : { isReview: true as const }
  return { name: String(name), spec, ...kind, run: judgeOf(world, moment)(added) }
}

function checksFor(scenario: Scenario, world: World, moment: () => void): readonly Check[] {
  const judge = judgeOf(world, moment)
  const tests: Check = {
    name: 'tests',
    spec: { name: 'simulated', v: 1, settings: { name: 'tests' } },
    run: judge(scenario.check),
  }
  return [
    tests,
    ...(scenario.review ? [reviewer('agent', judge(scenario.review))] : []),
    ...(scenario.isReviewedByPerson ? [reviewer('person', judge(scenario.check))] : []),
  ]
}

function reviewer(by: 'agent' | 'person', run: Check['run']): Check {
  const name = `review by ${by}`
  return { name, isReview: true, spec: { name: 'simulated', v: 1, settings: { name, review: by } }, run }
}

function questionerFor(question: string, moment: () => void): Agent {
  return {
    spec: { name: 'simulated', v: 1, settings: {} },
    work: async (_request, context) => {
      await context.started()
      moment()
      return { status: 'finished', output: { text: JSON.stringify({ question }), bytesCut: 0 } }
    },
  }
}
