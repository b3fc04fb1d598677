import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandAgent } from '../../src/agents/command-agent.ts'
import { fixesFile } from '../../src/testing/model-server/index.ts'
import { agentStage, session } from './agent-session.ts'
import { codex, gemini } from './agents.ts'

const FILES = { 'add.js': 'export const add = (a, b) => a - b\n' }

const script = (project: string) => fixesFile({ file: join(project, 'add.js'), steps: [{ from: 'a - b', to: 'a + b' }] })

describe.each([codex, gemini])('$name', (agent) => {
  test('AGENTS-1 a real agent does what the scripted model says, and asks nobody else', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    await using stage = await agentStage(agent, { files: FILES, script })
    const result = await session(agent, stage, { prompt: 'Make add add.' })
    expect(result).toMatchObject({ exitCode: 0 })
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toBe('export const add = (a, b) => a + b\n')
    expect(agent.sessionIn(result.events)).toMatch(/^[\da-f-]{36}$/)
    const turns = stage.model.requests.map(({ turn }) => turn)
    expect(turns.map((turn) => turn?.api)).toEqual([agent.api, agent.api, agent.api])
    expect(turns[0]?.cwd).toBe(stage.project)
    expect(turns.every((turn) => turn?.messages.some(({ text }) => text.includes('Make add add.')))).toBe(true)
    expect(stage.outside.asked).toEqual([])
  })

  test('AGENTS-2 an answer that breaks off is asked for again, or ends the agent with an error', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    let isCut = false
    await using stage = await agentStage(agent, {
      files: FILES,
      script: (project) => (turn) => {
        if (isCut) return script(project)(turn)
        isCut = true
        return { fault: 'cut-stream', say: 'This sentence never comes to its end.' }
      },
    })
    const result = await session(agent, stage, { prompt: 'Make add add.' })
    expect(result).toMatchObject({ exitCode: agent.asksAgain ? 0 : 1 })
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain(agent.asksAgain ? 'a + b' : 'a - b')
  })

  test('AGENTS-3 an agent whose key is refused ends with an error', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    await using stage = await agentStage(agent, { files: FILES, script: () => () => ({ fault: 'unauthorized' }) })
    const { exitCode, output } = await session(agent, stage, { prompt: 'Make add add.' })
    expect(output).toContain('The API key is not valid.')
    expect(exitCode).not.toBe(0)
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toBe(FILES['add.js'])
  })

  test('AGENTS-4 an agent that meets a short limit waits for its reset and does the work', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    let isLimited = true
    await using stage = await agentStage(agent, {
      files: FILES,
      script: (project) => (turn) => {
        if (!isLimited) return script(project)(turn)
        isLimited = false
        return { fault: 'rate-limited', resetInSeconds: 1 }
      },
    })
    expect(await session(agent, stage, { prompt: 'Make add add.' })).toMatchObject({ exitCode: 0 })
    expect(await readFile(join(stage.project, 'add.js'), 'utf8')).toContain('a + b')
  })

  test('AGENTS-5 a used-up plan, as the agent words it, is a limit of the provider for Pawl and no failed attempt', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    const limit = { fault: 'rate-limited', resetInSeconds: 7200, isUsedUp: true } as const
    await using stage = await agentStage(agent, { files: FILES, script: () => () => limit })
    const driver = commandAgent({ command: agent.command('{brief}'), briefAs: 'argument', variables: stage.env })
    const result = await driver.work(
      { run: 'limited', iteration: 1, role: 'coder', brief: 'Make add add.', cwd: stage.project, deadlineMs: 90_000 },
      { signal: context.signal, started: async () => undefined, progress: () => undefined },
    )
    expect(result).toMatchObject({ status: 'failed', fault: 'provider-limit' })
    expect('retryAt' in result).toBe(agent.namesReset)
  })
})
