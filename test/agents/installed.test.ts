import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { editorFor } from '../../src/testing/model-server/fixes-file.ts'
import type { ModelAnswer, ModelTurn } from '../../src/testing/model-server/index.ts'
import { agentStage, runBeside, session } from './agent-session.ts'
import { codex, gemini } from './agents.ts'
import { eventTypes, FAILING_PROJECT, hastyModel, PAWL } from './failing-project.ts'

const TASK = 'fix-add'

describe.each([codex, gemini])('$name', (agent) => {
  test('AGENTS-10 after `pawl install` a real agent begins a loop by the MCP server, its hooks bind and keep it until the test passes, and `pawl uninstall` leaves no trace', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const model = hastyModel(['a - b', 'a * b', 'a + b'])
    await using stage = await agentStage(agent, {
      // As `pawl init` writes it: the model's rule runs the same command, so nobody has to be asked.
      files: { ...FAILING_PROJECT, 'pawl.yaml': 'checks:\n  - { name: tests, command: node --test }\n' },
      script: (project) => async (turn) => (await starting(turn, project)) ?? model(project)(turn),
    })
    const settings = agent.settings(stage.model.url)
    expect(await runBeside(stage, [PAWL, 'install', agent.name, '--user'])).toMatchObject({ exitCode: 0 })
    expect(await session(agent, stage, { prompt: 'Make the test pass.' })).toMatchObject({ exitCode: 0 })
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a + b')
    const types = await eventTypes(stage, TASK)
    expect(types).toContain('run.bound')
    expect(types.filter((type) => type === 'iteration.ended')).toHaveLength(2)
    expect(types.at(-1)).toBe('run.completed')
    expect(await runBeside(stage, [PAWL, 'uninstall', agent.name, '--user'])).toMatchObject({ exitCode: 0 })
    for (const [path, text] of Object.entries(settings)) expect(await readFile(join(stage.home, path), 'utf8')).toBe(text)
  })
})

/** The first thing the model does, once: it begins the loop. Until its server is up (agents do not all wait for it) it reads. */
async function starting(turn: ModelTurn, project: string): Promise<ModelAnswer | undefined> {
  const { tools, messages } = turn
  const calls = messages.flatMap((message) => message.calls)
  if (calls.some(({ name }) => name.endsWith('iteration_start'))) return undefined
  const tool = tools.find((name) => name.endsWith('iteration_start'))
  if (tool === undefined) {
    await sleep(500)
    const call = editorFor(tools)?.read(join(project, calls.length % 2 === 0 ? 'package.json' : 'add.test.js'))
    return call && { call }
  }
  const input = {
    taskId: TASK,
    maxIterations: 5,
    completionPromises: ['<promise>COMPLETE</promise>'],
    validationRules: [{ type: 'command', name: 'tests', config: { command: 'node --test' } }],
  }
  return { call: { name: tool, input } }
}
