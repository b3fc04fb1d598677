import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { maxIterations } from '../../src/guards/index.ts'
import type { ModelReply, ModelTurn } from '../../src/testing/model-server/index.ts'
import { writeFiles } from '../support/temporary-repository.ts'
import { agentStage, runBeside, session } from './agent-session.ts'
import { codex, drivenAgents, gemini } from './agents.ts'
import { drivenRun } from './driven-run.ts'
import { eventTypes, FAILING_PROJECT, hastyModel, PAWL } from './failing-project.ts'

const CHECKS = 'checks:\n  - { name: tests, command: node --test }\n'

describe.each([codex, gemini])('$name', (agent) => {
  test('ALWAYS-7 after `pawl install --always` a real session is sent back until the checks pass, and left alone if it changes nothing', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const script = hastyModel(['a - b', 'a * b', 'a + b'])
    await using stage = await agentStage(agent, { files: { ...FAILING_PROJECT, 'pawl.yaml': CHECKS }, script })
    await writeFiles(stage.home, { '.config/pawl/trusted-folders': `${stage.project}\n` })
    expect(await runBeside(stage, [PAWL, 'install', agent.name, '--user', '--always'])).toMatchObject({ exitCode: 0 })
    const first = await session(agent, stage, { prompt: 'Make the test pass.' })
    expect(first).toMatchObject({ exitCode: 0 })
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a + b')
    const run = `${agent.name}-${String(agent.sessionIn(first.events)).replaceAll('-', '').slice(0, 8)}`
    const types = await eventTypes(stage, run)
    expect(types.filter((type) => type === 'iteration.ended')).toHaveLength(2)
    expect(types.at(-1)).toBe('run.completed')
    const second = await session(agent, stage, { prompt: 'What was wrong?' })
    expect(second).toMatchObject({ exitCode: 0 })
    const { output } = await runBeside(stage, [PAWL, 'ls', '--json'])
    expect(JSON.parse(output)).toHaveLength(1)
  })
})

describe.each(drivenAgents)('$name, driven by Pawl', (agent) => {
  test('ENV-2 runs the check itself, and where its rules say so nothing else', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    let said = ''
    const script = (project: string) => {
      const model = hastyModel(['a - b', 'a + b'])(project)
      const commands = [`${process.execPath} --test`, "sh -c 'echo x > other.txt'"]
      return (turn: ModelTurn): ModelReply => {
        said = JSON.stringify(turn.messages.filter(({ role }) => role === 'tool')) + said
        const name = ['exec_command', 'run_shell_command', 'Bash', 'bash'].find((each) => turn.tools.includes(each))
        const command = name === undefined ? undefined : commands.shift()
        if (name === undefined || command === undefined) return model(turn)
        return { call: { name, input: { [name === 'exec_command' ? 'cmd' : 'command']: command, description: 'Runs it' } } }
      }
    }
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script })
    await using run = await drivenRun(agent, stage, { guards: [maxIterations(2)] })
    expect(await run.drive()).toMatchObject({ status: 'completed' })
    // What the test said came back to the model.
    expect(said).toMatch(/(?:✖|not ok).*adds/)
    // Codex works with full rights here, and OpenCode asks about no command by default.
    const isAlone = ['claude', 'gemini', 'qwen'].includes(agent.name)
    const other = await readFile(join(stage.project, 'other.txt')).catch(() => undefined)
    expect(other === undefined).toBe(isAlone)
  })
})
