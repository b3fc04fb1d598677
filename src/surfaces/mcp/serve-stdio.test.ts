import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { isRunning, numbersIn, until } from '../../../test/support/process-support.ts'
import { startClient, testFolder } from '../../../test/support/mcp-support.ts'
import { TOOLS } from './mcp-server.ts'

const START: JsonObject = {
  taskId: 'TASK-1',
  maxIterations: 5,
  completionPromises: ['<promise>COMPLETE</promise>', '<promise>BLOCKED</promise>'],
  validationRules: [{ type: 'file_existence', name: 'result', config: { paths: ['result.txt'] } }],
}

const DONE = 'All done.\n<promise>COMPLETE</promise>'
const iterationId = 'TASK-1'

describe.each(['2025-06-18', '2026-07-28'] as const)('a client of revision %s', (revision) => {
  test('MCP-1 MCP-2 sees every tool and drives a loop: a refuted promise continues, one that holds completes', async () => {
    const root = testFolder()
    const { tool, end, request } = await startClient(root, { revision })
    const { result } = (await request('tools/list', {})) as { result: JsonObject }
    const tools = result['tools'] as JsonObject[]
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
    for (const each of tools) expect(each).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } })
    const { data: started } = await tool('iteration_start', START)
    expect(started).toMatchObject({ iterationId, iterationNumber: 1, remainingIterations: 4, resumed: false })
    const first = await tool('iteration_validate', { iterationId, agentOutput: DONE })
    expect(first.data).toMatchObject({
      iterationNumber: 1,
      validationPassed: false,
      completionSignal: 'CONTINUE',
      detectedPromise: '<promise>COMPLETE</promise>',
      results: [{ ruleName: 'result', passed: false }],
    })
    expect(JSON.parse(first.text)).toEqual(first.data)
    const next = await tool('iteration_next', { iterationId, validationResult: first.data, agentContext: 'tried' })
    expect(next.data).toMatchObject({ iterationNumber: 2, remainingIterations: 3, config: { maxIterations: 5 } })
    await writeFile(join(root, 'result.txt'), 'done\n')
    const second = await tool('iteration_validate', { iterationId })
    expect(second.data).toMatchObject({ validationPassed: true, completionSignal: 'CONTINUE' })
    const completionPromise = '<promise>COMPLETE</promise>'
    const complete = await tool('iteration_complete', { iterationId, completionPromise, workProductId: 'WP-1' })
    expect(complete.data).toMatchObject({ completed: true, workProductId: 'WP-1' })
    const history = await tool('run_history', { run: iterationId })
    const types = history.data.events.map(({ type }: { type: string }) => type)
    expect(types).toEqual(expect.arrayContaining(['promise.refuted', 'promise.verified', 'run.completed']))
    expect(await end()).toBe(0)
  })

  test('MCP-3 a person is asked through a client that can, and their answer lets the loop continue', async () => {
    const asked: JsonObject[] = []
    const elicit = (params: JsonObject): JsonObject => {
      asked.push(params)
      return { action: 'accept', content: { choice: 'continue', note: 'Look into result.txt.' } }
    }
    const { tool } = await startClient(testFolder(), { revision, elicit })
    await tool('iteration_start', { ...START, circuitBreakerThreshold: 1 })
    const blocked = await tool('iteration_next', { iterationId })
    expect(blocked.data).toMatchObject({
      blockedBy: 'circuit_breaker',
      blockedReason: 'Iteration safety guard: circuit_breaker',
    })
    expect((await tool('run_question', { run: iterationId })).data).toMatchObject({ answered: true, choice: 'continue' })
    expect(asked).toHaveLength(1)
    expect(String(asked[0]?.['message'])).toContain('1. ')
    const next = await tool('iteration_next', { iterationId })
    expect(next.data).toMatchObject({ iterationNumber: 2 })
    expect(next.data.instructions).toContain('Look into result.txt.')
  })
})

test('MCP-5 a server killed with -9 between any two calls continues', async () => {
  const root = testFolder()
  const calls: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ['iteration_start', START, { iterationNumber: 1 }],
    ['hook_register', { taskId: 'TASK-1', hookType: 'default' }, { hook: { hookId: 'hook-1' } }],
    ['iteration_validate', { iterationId, agentOutput: DONE }, { completionSignal: 'CONTINUE', iterationNumber: 1 }],
    ['iteration_next', { iterationId }, { iterationNumber: 2 }],
    ['checkpoint_create', { taskId: 'TASK-1', draftContent: 'half' }, { trigger: 'manual' }],
    ['hook_evaluate', { iterationId, agentOutput: '' }, { action: 'continue' }],
    ['iteration_next', { iterationId }, { iterationNumber: 3 }],
  ]
  for (const [name, args, expected] of calls) {
    const one = await startClient(root)
    expect((await one.tool(name, args)).data).toMatchObject(expected)
    await one.kill()
  }
  await writeFile(join(root, 'result.txt'), 'done\n')
  const last = await startClient(root)
  expect((await last.tool('hook_list', { taskId: 'TASK-1' })).data.hooks).toHaveLength(1)
  expect((await last.tool('checkpoint_resume', { taskId: 'TASK-1' })).data).toMatchObject({ draftContent: 'half' })
  const validated = await last.tool('iteration_validate', { iterationId, agentOutput: DONE })
  expect(validated.data).toMatchObject({ completionSignal: 'COMPLETE', iterationNumber: 3 })
})

test('MCP-6 a server killed during a check leaves no process behind, and what changed since is checked', async () => {
  const root = testFolder()
  const rule = {
    type: 'command',
    name: 'slow',
    config: { command: 'echo $$ > pid.txt; test -f quick.txt || { test -f begun.txt && sleep 60; }' },
  }
  const one = await startClient(root)
  await one.tool('iteration_start', { ...START, validationRules: [rule] })
  await writeFile(join(root, 'begun.txt'), '')
  void one.tool('iteration_validate', { iterationId, agentOutput: DONE }).catch(() => undefined)
  const [pid = 0] = await numbersIn(join(root, 'pid.txt'), 1)
  await one.kill()
  await writeFile(join(root, 'quick.txt'), '')
  const two = await startClient(root)
  const { data } = await two.tool('iteration_validate', { iterationId, agentOutput: DONE })
  expect(data).toMatchObject({ iterationNumber: 1, completionSignal: 'COMPLETE' })
  expect(isRunning(pid)).toBe(false)
})

test('MCP-28 a cancelled call, and a client that goes away, end the check that runs; progress is reported to whoever asks for it', async () => {
  const root = testFolder()
  const rule = { type: 'command', name: 'slow', config: { command: 'echo $$ >> pids.txt; sleep 60' } }
  const { request, tool, cancel, notified, end } = await startClient(root, { revision: '2025-06-18' })
  await tool('iteration_start', { ...START, validationRules: [rule] })
  const validate = { name: 'iteration_validate', arguments: { iterationId }, _meta: { progressToken: 'p' } }
  void request('tools/call', validate).catch(() => undefined)
  const [first = 0] = await numbersIn(join(root, 'pids.txt'), 1)
  cancel()
  await until(() => !isRunning(first))
  expect(notified).toContain('notifications/progress')
  void request('tools/call', validate).catch(() => undefined)
  const [, second = 0] = await numbersIn(join(root, 'pids.txt'), 2)
  expect(await end()).toBe(0)
  expect(isRunning(second)).toBe(false)
})

test('MCP-7 two servers on one store take turns, and no iteration is counted twice', async () => {
  const root = testFolder()
  const clients = await Promise.all([startClient(root), startClient(root, { revision: '2025-06-18' })])
  await clients[0].tool('iteration_start', { ...START, maxIterations: 100, circuitBreakerThreshold: 20 })
  const numbers: number[] = []
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(clients.map(({ tool }) => tool('iteration_next', { iterationId })))
    for (const { data, isError } of answers) if (!isError) numbers.push(data.iterationNumber)
  }
  expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 2))
  expect(numbers.length).toBeGreaterThan(5)
})

test('MCP-8 nonsense on the wire and in arguments never ends the server, and every request is answered', async () => {
  const { tool, write } = await startClient(testFolder())
  await tool('iteration_start', START)
  for (const line of [
    '',
    '{',
    '[]',
    'null',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":{},"method":1}',
    '\u0000\uFFFF',
    '"'.repeat(5000),
  ])
    write(line)
  const names = fc.constantFrom(...TOOLS.map(({ name }) => name), 'no_such_tool')
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(iterationId, 'TASK-1@3', '../..', '<promise>COMPLETE</promise>', -1, 1e9),
  )
  const keys = fc.constantFrom(
    'iterationId',
    'taskId',
    'run',
    'checkpointId',
    'choice',
    'agentOutput',
    'hookType',
    'maxIterations',
  )
  const args = fc.dictionary(fc.oneof(keys, fc.string()), value, { maxKeys: 6 })
  await fc.assert(
    fc.asyncProperty(names, args, async (name, given) => {
      const answer = await tool(name, given as JsonObject)
      expect(answer.text).not.toBe('')
      expect(answer.text).not.toContain('a defect of Pawl')
    }),
    { numRuns: 150 },
  )
  expect((await tool('run_list', {})).isError).toBe(false)
})
