import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { probeWriting } from '../../src/agents/write-probe.ts'
import { type ModelReply, type ModelTurn, sinceUser } from '../../src/testing/model-server/index.ts'
import { agentStage } from './agent-session.ts'
import { drivenAgents } from './agents.ts'
import { FAILING_PROJECT } from './failing-project.ts'

/** A model that writes the file that the probe asks for, with the tool that each agent has for it. */
function writer(turn: ModelTurn): ModelReply {
  const { tools, cwd = '.' } = turn
  if (sinceUser(turn).length > 0 || tools.length === 0) return { say: 'Done.' }
  const [path, content] = [join(cwd, 'ready.txt'), 'ready']
  if (tools.includes('exec_command')) return { call: { name: 'exec_command', input: { cmd: 'printf ready > ready.txt' } } }
  if (tools.includes('Write')) return { call: { name: 'Write', input: { file_path: path, content } } }
  if (tools.includes('write_file')) return { call: { name: 'write_file', input: { file_path: path, content } } }
  return { call: { name: 'write', input: { filePath: path, content } } }
}

describe.each(drivenAgents)('$name', (agent) => {
  const missing = agent.missing
  const made = (env: Readonly<Record<string, string>>, more = {}) =>
    agent.make({ program: agent.program, variables: env, timeoutMs: 90_000, ...agent.options, ...more })

  test('BOX-14 shows in a folder that it does not know that it can write', async (context) => {
    context.skip(missing !== undefined, missing)
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: () => writer })
    expect(await probeWriting(made(stage.env), AbortSignal.timeout(90_000))).toMatchObject({ status: 'writes' })
  })

  test('BOX-14 that would have to ask for permission is found out, though its model tries', async (context) => {
    context.skip(missing !== undefined, missing)
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: () => writer })
    const held = made(stage.env, { permissionMode: 'read' })
    expect(await probeWriting(held, AbortSignal.timeout(90_000))).toMatchObject({
      status: 'cannot',
      fix: expect.stringMatching(/permission/i),
    })
  })

  test('BOX-14 that writes nothing is found out', async (context) => {
    context.skip(missing !== undefined, missing)
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: () => () => ({ say: 'I may not write.' }) })
    expect(await probeWriting(made(stage.env), AbortSignal.timeout(90_000))).toMatchObject({ status: 'cannot' })
  })
})
