import { withRunSessions } from '../../src/agents/sessions.ts'
import { join } from 'node:path'
import type { Guard } from '../../src/core/guard.ts'
import { commandCheck } from '../../src/checks/command-check.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { gitWorkspace } from '../../src/workspaces/git-workspace.ts'
import type { StreamAgentOptions } from '../../src/agents/streams/stream-agent.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import { type Clock, systemClock } from '../../src/process/clock.ts'
import type { SealedEvent } from '../../src/stores/store.ts'
import { answerRun } from '../../src/engine/person-facts.ts'
import { drive, type DriveResult } from '../../src/engine/drive.ts'
import { boxesOf } from '../../src/sandbox/boxed.ts'
import type { Isolation } from '../../src/sandbox/isolation.ts'
import type { Parts } from '../../src/engine/parts.ts'
import { partsFrom } from '../../src/registry/parts-from.ts'
import type { AgentStage } from './agent-session.ts'
import type { DrivenAgent } from './agents.ts'

/** A run that Pawl drives with a real agent, in the project of a stage. */
export interface DrivenRun extends AsyncDisposable {
  readonly parts: Parts
  drive(onEvent?: (event: SealedEvent) => void): Promise<DriveResult>
  answer(choice: string): Promise<void>
  events(): Promise<readonly SealedEvent[]>
}

export interface DrivenRunOptions {
  readonly guards: readonly Guard[]
  readonly agent?: StreamAgentOptions
  /** The fallback agent if the agent's provider fails. */
  readonly fallback?: DrivenAgent
  readonly clock?: Clock
  /** What keeps the agent and the check away from the rest of the machine. */
  readonly isolation?: Isolation
  /** Whether its session files are in a folder of the run. */
  readonly sessions?: boolean
}

/** Opens the run; the check is the project's own test. */
export async function drivenRun(
  agent: DrivenAgent,
  stage: AgentStage,
  { guards, agent: more = {}, fallback, clock = systemClock, isolation, sessions = false }: DrivenRunOptions,
): Promise<DrivenRun> {
  const storePath = join(stage.project, '.pawl', 'pawl.db')
  const store = sqliteStore({ path: storePath })
  // None of our variables has what the agent needs: all of it is set.
  const made = ({ make, program, options }: DrivenAgent, besides: StreamAgentOptions = {}) =>
    make({ program, variables: stage.env, timeoutMs: 90_000, ...options, ...besides })
  const boxes = isolation && boxesOf({ loop: 'task', isolation, hidden: [] })
  const boxed = boxes?.agent(made(agent, more), 'coder') ?? made(agent, more)
  const driver = sessions ? withRunSessions(boxed, storePath) : boxed
  const config = {
    loop: taskLoop({ goal: 'Make add add.' }).spec,
    guards: guards.map(({ spec }) => spec),
    agent: driver.spec,
    ...(fallback === undefined ? {} : { fallbacks: [made(fallback).spec] }),
    checks: [commandCheck({ name: 'tests', command: [isolation?.hasOwnPrograms ? 'node' : process.execPath, '--test'] }).spec],
    workspace: gitWorkspace({ path: stage.project }).spec,
    ...(isolation ? { isolation: isolation.spec } : {}),
  }
  const parts = {
    ...(await partsFrom(config, { store, storePath, agent: driver, ceilings: async () => [] })),
    clock,
  }
  return {
    parts,
    drive: (onEvent) => drive(parts, RUN, { ...(onEvent ? { onEvent } : {}), pollMs: 100 }),
    answer: (choice) => answerRun(store, clock, RUN, { choice }),
    events: () => store.read(RUN),
    [Symbol.asyncDispose]: () => store.close(),
  }
}

/** The name of the run. */
export const RUN = 'fix-add'

/** A clock that does not wait: what it would sleep is passed over. */
export function hurriedClock(onSleep: () => void): Clock {
  let ahead = 0
  const now = () => Date.now() + ahead
  return {
    now,
    sleepUntil: async (until) => {
      onSleep()
      ahead += Math.max(0, until - now())
    },
  }
}
