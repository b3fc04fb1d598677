import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { machineProcesses } from '../../process/processes.ts'
import { bindRun } from '../../engine/bind-run.ts'
import { systemClock } from '../../process/clock.ts'
import { presentState } from './tool-session.ts'
import { startClient, testFolder, toolsIn } from '../../../test/support/mcp-support.ts'

const RESULT = { type: 'file_existence', name: 'result', config: { paths: ['result.txt'] } }
const WRONG = { type: 'command', name: 'tests', config: { command: 'no-such-program-anywhere' } }
const RIGHT = { type: 'command', name: 'tests', config: { command: 'grep -q done work.txt' } }

const START: JsonObject = {
  taskId: 'TASK-1',
  maxIterations: 10,
  completionPromises: ['<promise>COMPLETE</promise>'],
  validationRules: [RESULT],
}

const iterationId = 'TASK-1'
const CLAIM = 'Done.\n<promise>COMPLETE</promise>'

test('MCP-60 a rule that could not run is corrected by the same start with it fixed, and the same work is checked by it', async () => {
  const root = testFolder()
  const { call, project } = toolsIn(root)
  await call('iteration_start', { ...START, validationRules: [WRONG] })
  writeFileSync(join(root, 'work.txt'), 'done\n')
  const first = await call('iteration_validate', { iterationId, agentOutput: CLAIM })
  expect(first).toMatchObject({ completionSignal: 'ESCALATE' })
  expect(first.feedback.at(-1)).toContain('call iteration_start again with the same taskId and that rule corrected')
  const asked = await call('run_question', { run: iterationId })
  expect(asked.question.steps.join(' ')).not.toContain('pawl resume')
  const again = await call('iteration_start', { ...START, validationRules: [RIGHT] })
  expect(again).toMatchObject({ iterationId, resumed: true, iterationNumber: 1, config: { validationRules: [RIGHT] } })
  expect(again.instructions).toContain('iteration_validate')
  expect((await project.store.read(iterationId)).map(({ type }) => type)).toContain('run.reconfigured')
  expect(await call('iteration_validate', { iterationId, agentOutput: CLAIM })).toMatchObject({ completionSignal: 'COMPLETE' })
})

test('MCP-61 nothing else can be changed so: no other setting, no rule that has run, and no loop that has no such problem', async () => {
  const root = testFolder()
  const { call } = toolsIn(root)
  await call('iteration_start', { ...START, validationRules: [RESULT] })
  await call('iteration_validate', { iterationId })
  await expect(call('iteration_start', { ...START, validationRules: [RIGHT] })).rejects.toThrow('with other settings')
  const other = { ...START, taskId: 'other', validationRules: [RESULT, WRONG] }
  await call('iteration_start', other)
  await call('iteration_validate', { iterationId: 'other' })
  await expect(call('iteration_start', { ...other, maxIterations: 50, validationRules: [RESULT, RIGHT] })).rejects.toThrow(
    'only the rule that could not run can be corrected',
  )
  await expect(call('iteration_start', { ...other, validationRules: [RIGHT] })).rejects.toThrow(
    'whose rule "result" has run already and stays as it is',
  )
  expect(await call('iteration_start', { ...other, validationRules: [RESULT, RIGHT] })).toMatchObject({ resumed: true })
})

test('MCP-62 a start that finds a loop says which session it is bound to', async () => {
  const root = testFolder()
  const { call, project } = toolsIn(root)
  expect((await call('iteration_start', START)).boundTo).toBeUndefined()
  const options = { store: project.store, folder: join(root, '.pawl'), clock: systemClock, processes: machineProcesses }
  await bindRun(options, iterationId, { agent: 'claude', session: 'SA' })
  const again = await call('iteration_start', START)
  expect(again).toMatchObject({ resumed: true, boundTo: { agent: 'claude', session: 'SA' } })
  expect(again.warnings.join()).toContain('session SA of claude')
  expect(again.warnings.join()).toContain(`pawl bind ${iterationId}`)
})

test('MCP-63 without rules the first promise asks a person, with the true reason, and is no failure', async () => {
  const { call, project } = toolsIn(testFolder())
  const { validationRules: _none, ...bare } = START
  const started = await call('iteration_start', { ...bare, circuitBreakerThreshold: 2 })
  expect(started.config.circuitBreakerThreshold).toBe(2)
  for (let count = 0; count < 4; count++) expect((await call('iteration_next', { iterationId })).error).toBeUndefined()
  const validated = await call('iteration_validate', { iterationId, agentOutput: CLAIM })
  expect(validated).toMatchObject({ completionSignal: 'ESCALATE', results: [] })
  expect(validated.feedback.join()).toContain('no check or rule can confirm it')
  expect(validated.feedback.join()).not.toContain('do not pass')
  const types = (await project.store.read(iterationId)).map(({ type }) => type)
  expect(types.filter((type) => /^(?:guard\.tripped|promise\.refuted)$/.test(type))).toEqual([])
  expect((await presentState(project, iterationId))?.question?.question.options[0]?.choice).toBe('accept')
})

test.each<[string, string, JsonObject, string]>([
  ['an argument', 'iteration_start', { ...START, circutBreakerThreshold: 9 }, 'did you mean "circuitBreakerThreshold"?'],
  ['a field of a rule', 'iteration_start', { ...START, validationRules: [{ ...RESULT, conf: {} }] }, 'did you mean "config"?'],
  ['any tool', 'run_list', { limits: 3 }, 'run_list has no argument "limits"; did you mean "limit"?'],
  ['nothing near', 'hook_list', { taskId: 'x', zzz: 1 }, 'hook_list has no argument "zzz"; there are taskId'],
])('MCP-64 what a tool does not take is refused with the nearest name: %s', async (_what, name, args, words) => {
  await expect(toolsIn(testFolder()).call(name, args)).rejects.toThrow(words)
})

test('MCP-64 a client reads it in a sentence', async () => {
  const client = await startClient(testFolder())
  const answer = await client.tool('iteration_start', { ...START, circutBreakerThreshold: 9 })
  expect(answer.isError).toBe(true)
  expect(answer.text).toContain(
    'iteration_start has no argument "circutBreakerThreshold"; did you mean "circuitBreakerThreshold"?',
  )
})

test('MCP-65 stop hooks of a loop that is over are gone, and clearing them is no error', async () => {
  const root = testFolder()
  const { call } = toolsIn(root)
  await call('iteration_start', START)
  await call('hook_register', { taskId: 'TASK-1', hookType: 'validation' })
  writeFileSync(join(root, 'result.txt'), '')
  await call('iteration_validate', { iterationId, agentOutput: CLAIM })
  expect(await call('hook_list', { taskId: 'TASK-1' })).toMatchObject({ hooks: [] })
  expect(await call('hook_clear', { taskId: 'TASK-1' })).toMatchObject({ cleared: 0 })
})
