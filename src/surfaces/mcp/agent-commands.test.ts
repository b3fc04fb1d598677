import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { trustCommands, trustedCommands } from '../../settings/user-files.ts'
import { startClient, testFolder, toolsIn } from '../../../test/support/mcp-support.ts'
import { presentState } from './tool-session.ts'

const iterationId = 'TASK-1'
const COMMAND = 'touch ran.txt'

function start(...rules: readonly JsonObject[]): JsonObject {
  return {
    taskId: iterationId,
    maxIterations: 10,
    completionPromises: ['<promise>COMPLETE</promise>'],
    validationRules: rules.length > 0 ? rules : [command(COMMAND)],
  }
}

function command(line: string | string[], name = 'own'): JsonObject {
  return { type: 'command', name, config: { command: line } }
}

test('MCP-70 without consent no command of an agent runs, and three lines say what to do', async () => {
  const root = testFolder()
  const { call } = toolsIn(root, { allowsAgentCommands: false })
  const refused = await call('iteration_start', start()).catch((error: Error) => error)
  expect(refused).toMatchObject({ code: 'mcp.command-not-allowed' })
  expect(refused.message.split('\n')).toEqual([
    `The loop wasn't started. A person has to allow commands: ${COMMAND}`,
    `Have the person run this in ${root}, then call iteration_start again: pawl trust '${COMMAND}'`,
    'Or leave the rule out: checks in pawl.yaml always run (`pawl init` writes one). `pawl mcp --allow-agent-commands` allows every command.',
  ])
  expect(await call('run_list', {})).toMatchObject({ runs: [] })
  expect(existsSync(join(root, 'ran.txt'))).toBe(false)
})

test('MCP-70 a validator is a command too; rules that only look at files need no consent', async () => {
  const { call } = toolsIn(testFolder(), { allowsAgentCommands: false })
  const custom = { type: 'custom', name: 'mine', config: { validatorId: 'mine' } }
  await expect(call('iteration_start', start(custom))).rejects.toThrow('pawl trust ./pawl-validators/mine')
  const looking = { type: 'file_existence', name: 'result', config: { paths: ['result.txt'] } }
  expect(await call('iteration_start', start(looking))).toMatchObject({ iterationNumber: 1 })
})

test('MCP-70 a command that the person allowed for this project runs, and no other', async () => {
  const root = testFolder()
  const userFolder = testFolder()
  trustCommands(root, [COMMAND], userFolder)
  trustCommands('/elsewhere', ['true'], userFolder)
  expect(statSync(join(userFolder, 'trusted-commands.json')).mode & 0o777).toBe(0o600)
  const { call } = toolsIn(root, { allowsAgentCommands: false, userFolder })
  await expect(call('iteration_start', start(command(COMMAND), command('true', 'other')))).rejects.toThrow('pawl trust true')
  expect(await call('iteration_start', start(command(['touch', 'ran.txt'])))).toMatchObject({ iterationNumber: 1 })
  await call('iteration_validate', { iterationId })
  expect(existsSync(join(root, 'ran.txt'))).toBe(true)
})

test('MCP-70 a loop that was begun continues without consent; a corrected rule needs it', async () => {
  const root = testFolder()
  const wrong = command('no-such-program-anywhere')
  await toolsIn(root).call('iteration_start', start(wrong))
  const { call } = toolsIn(root, { allowsAgentCommands: false })
  expect(await call('iteration_start', start(wrong))).toMatchObject({ resumed: true })
  expect(await call('iteration_validate', { iterationId })).toMatchObject({ completionSignal: 'ESCALATE' })
  await expect(call('iteration_start', start(command('true')))).rejects.toThrow('pawl trust true')
})

test('MCP-70 a file of allowed commands that is broken is named with the way out', async () => {
  const userFolder = testFolder()
  writeFileSync(join(userFolder, 'trusted-commands.json'), '[1]\n')
  const { call } = toolsIn(testFolder(), { allowsAgentCommands: false, userFolder })
  await expect(call('iteration_start', start())).rejects.toThrow('Fix it or delete it.')
})

test('MCP-69 a rule with the command of a check is that check; its command needs no consent', async () => {
  const root = testFolder()
  writeFileSync(join(root, 'pawl.yaml'), 'checks:\n  - { name: tests, command: grep -q right work.txt }\n')
  const { call, project } = toolsIn(root, { allowsAgentCommands: false })
  await call('iteration_start', start(command('grep -q right work.txt', 'tests')))
  const { config } = (await presentState(project, iterationId))!
  expect(config.checks.map(({ settings }) => settings['name'])).toEqual(['tests'])
  expect(config.ownChecks).toEqual([])
  writeFileSync(join(root, 'work.txt'), 'right\n')
  const complete = await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })
  expect(complete).toMatchObject({ completed: true, proof: { level: 'red-to-green' } })
})

test('MCP-69 an edit of pawl.yaml and a corrected rule do not get rid of a check', async () => {
  const root = testFolder()
  writeFileSync(join(root, 'pawl.yaml'), 'checks:\n  - { name: tests, command: grep -q right work.txt }\n')
  const { call, project } = toolsIn(root)
  await call('iteration_start', start(command('no-such-program-anywhere')))
  await call('iteration_validate', { iterationId })
  writeFileSync(join(root, 'pawl.yaml'), 'checks:\n  - { name: tests, command: "true" }\n')
  await call('iteration_start', start(command('true')))
  const { config } = (await presentState(project, iterationId))!
  expect(config.checks.map(({ settings }) => settings['command'])).toEqual([['grep', '-q', 'right', 'work.txt'], 'true'])
  expect(config.ownChecks).toEqual(['own'])
})

test('MCP-69 the limits and guards of pawl.yaml hold: an agent can lower them and never raise one', async () => {
  const root = testFolder()
  const limits = ['max_iterations: 4', 'budget_usd: 2', 'budget_time: 20m', 'guards: { circuit_breaker: { failures_max: 2 } }']
  writeFileSync(join(root, 'pawl.yaml'), [...limits, 'protect: [spec]', ''].join('\n'))
  const { call, project } = toolsIn(root)
  const started = await call('iteration_start', start())
  expect(started).toMatchObject({ remainingIterations: 3, config: { maxIterations: 4, circuitBreakerThreshold: 2 } })
  expect(started.warnings).toEqual([
    'pawl.yaml allows at most 4 iterations.',
    'pawl.yaml stops a loop after 2 failed iterations in a row.',
  ])
  const { guards } = (await presentState(project, iterationId))!.config
  const budget = { costUsdMax: 2, tokensMax: 0, durationMsMax: 1_200_000 }
  expect(guards.find(({ name }) => name === 'budget')?.settings).toMatchObject(budget)
  expect(await call('iteration_start', start())).toMatchObject({ resumed: true, warnings: [] })
  const lower = { ...start(), taskId: 'lower', maxIterations: 2, circuitBreakerThreshold: 1 }
  expect(await call('iteration_start', lower)).toMatchObject({
    config: { maxIterations: 2, circuitBreakerThreshold: 1 },
    warnings: [],
  })
})

describe.each(['2025-06-18', '2026-07-28'] as const)('MCP-70 a client of revision %s that can ask', (revision) => {
  test.each([
    ['once', { action: 'accept', content: {} }, []],
    ['always', { action: 'accept', content: { always: true } }, [COMMAND]],
  ] as const)('lets the person allow a command %s', async (_how, answer, kept) => {
    const root = testFolder()
    const asked: string[] = []
    const elicit = (params: JsonObject): JsonObject => {
      asked.push(String(params['message']))
      return answer
    }
    const { tool } = await startClient(root, { revision, elicit, allowsAgentCommands: false })
    expect((await tool('iteration_start', start())).data).toMatchObject({ iterationNumber: 1 })
    expect(asked).toEqual([expect.stringContaining(COMMAND)])
    expect(trustedCommands(root, join(root, '.no-user', '.config', 'pawl'))).toEqual(kept)
  })

  test('starts nothing if the person declines', async () => {
    const root = testFolder()
    const { tool } = await startClient(root, { revision, elicit: () => ({ action: 'decline' }), allowsAgentCommands: false })
    const { isError, text } = await tool('iteration_start', start())
    expect(isError).toBe(true)
    expect(text).toContain('The person declined')
    expect(existsSync(join(root, 'ran.txt'))).toBe(false)
  })
})

test('MCP-71 the token of the HTTP server is made once, for its owner alone', async () => {
  const { httpToken } = await import('../../settings/user-files.ts')
  const folder = join(testFolder(), 'new')
  const { token, path } = httpToken(folder)
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(httpToken(folder)).toEqual({ token, path })
  expect(readFileSync(path, 'utf8')).toBe(`${token}\n`)
})
