import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Guard } from '../../src/core/guard.ts'
import { maxIterations, repeatedAction } from '../../src/guards/index.ts'
import { commandCheck } from '../../src/checks/command-check.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { gitWorkspace } from '../../src/workspaces/git-workspace.ts'
import { ralphLoop } from '../../src/loops/ralph/index.ts'
import { machineProcesses } from '../../src/process/processes.ts'
import { bindRun } from '../../src/engine/bind-run.ts'
import { openRun } from '../../src/engine/until-work.ts'
import { systemClock } from '../../src/process/clock.ts'
import { outsideAgent, partsFrom } from '../../src/registry/parts-from.ts'
import { editorFor } from '../../src/testing/model-server/fixes-file.ts'
import type { ModelTurn } from '../../src/testing/model-server/index.ts'
import { type AgentStage, agentStage, session } from './agent-session.ts'
import { codex, gemini, type RealAgent } from './agents.ts'
import { eventTypes, FAILING_PROJECT, hastyModel, PAWL } from './failing-project.ts'

const RUN = 'fix-add'

describe.each([codex, gemini])('$name', (agent) => {
  test('AGENTS-6 the hook keeps a real agent going until the failing test passes, and then lets it go', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const script = hastyModel(['a - b', 'a * b', 'a / b', 'a + b'])
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script, pawl: PAWL })
    const id = await boundSession(agent, stage, maxIterations(9))
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a * b')
    expect(await session(agent, stage, { prompt: 'Make the test pass.', session: id })).toMatchObject({ exitCode: 0 })
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a + b')
    const types = await eventTypes(stage, RUN)
    expect(types.filter((type) => type === 'iteration.ended')).toHaveLength(2)
    expect(types.filter((type) => type.startsWith('promise.'))).toEqual([
      'promise.declared',
      'promise.claimed',
      'promise.refuted',
      'promise.claimed',
      'promise.verified',
    ])
    expect(types.at(-1)).toBe('run.completed')
  })

  test('AGENTS-7 the hook lets a real agent go when a guard trips, and the question waits for a person', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const script = hastyModel(['a - b', 'a * b', 'a / b', 'a % b', 'a ** b', 'a & b', 'a | b'])
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script, pawl: PAWL })
    const id = await boundSession(agent, stage, maxIterations(3))
    expect(await session(agent, stage, { prompt: 'Make the test pass.', session: id })).toMatchObject({ exitCode: 0 })
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a ** b')
    const types = await eventTypes(stage, RUN)
    expect(types.filter((type) => type === 'iteration.ended')).toHaveLength(3)
    expect(types).toContain('guard.tripped')
    expect(types.at(-1)).toBe('escalation.raised')
  })

  test('AGENTS-8 a session that no run belongs to is never kept, whatever runs in the folder', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const script = hastyModel(['a - b', 'a * b', 'a / b'])
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script, pawl: PAWL })
    const id = await boundSession(agent, stage, maxIterations(9))
    const other = await session(agent, stage, { prompt: 'Make the test pass.' })
    expect(other).toMatchObject({ exitCode: 0 })
    expect(agent.sessionIn(other.events)).not.toBe(id)
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a / b')
    expect(await eventTypes(stage, RUN)).not.toContain('iteration.ended')
  })

  test('AGENTS-9 an agent that repeats the same call with the same result is halted, or told so in place of a result', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    await using stage = await agentStage(agent, {
      files: FAILING_PROJECT,
      script: (project) => (turn) => {
        const isAsked = turn.messages.some(({ role, text }) => role === 'user' && text.includes('Make the test pass.'))
        const call = editorFor(turn.tools)?.read(join(project, 'add.js'))
        return isAsked && !isTold(turn) && call ? { call } : { say: 'I stop.' }
      },
      pawl: PAWL,
    })
    const id = await boundSession(agent, stage, repeatedAction({ repeatsMin: 4, severity: 'trip' }))
    await session(agent, stage, { prompt: 'Make the test pass.', session: id })
    expect(stage.model.requests.filter(({ turn }) => turn && isTold(turn))).toHaveLength(agent.isHalted ? 0 : 1)
    const types = await eventTypes(stage, RUN)
    expect(types.filter((type) => type === 'work.acted')).toHaveLength(4)
    expect(types).toContain('guard.tripped')
    expect(types.at(-1)).toBe('escalation.raised')
  })
})

/** Whether the model has read what the hook says to a turn that is to end. */
function isTold({ messages }: ModelTurn): boolean {
  return JSON.stringify(messages).includes(`Pawl: run ${RUN} is escalated`)
}

/** A first session, which makes the first change and is let go; then a run that belongs to it. */
async function boundSession(agent: RealAgent, stage: AgentStage, guard: Guard): Promise<string> {
  const first = await session(agent, stage, { prompt: 'Have a look.' })
  expect(first).toMatchObject({ exitCode: 0 })
  const id = String(agent.sessionIn(first.events))
  const storePath = join(stage.project, '.pawl', 'pawl.db')
  const store = sqliteStore({ path: storePath })
  try {
    const config = {
      loop: ralphLoop({ prompt: 'Make the test pass.' }).spec,
      guards: [guard.spec],
      agent: { name: 'session', v: 1, settings: {} },
      checks: [commandCheck({ name: 'tests', command: ['node', '--test'] }).spec],
      workspace: gitWorkspace({ path: stage.project }).spec,
    }
    const parts = await partsFrom(config, { store, storePath, agent: outsideAgent(config.agent), ceilings: async () => [] })
    await openRun(parts, RUN)
    const options = { store, folder: dirname(storePath), clock: systemClock, processes: machineProcesses }
    expect(await bindRun(options, RUN, { agent: agent.name, session: id })).toBe('bound')
  } finally {
    await store.close()
  }
  return id
}
