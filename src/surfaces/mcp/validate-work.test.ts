import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { machineProcesses } from '../../process/processes.ts'
import { answerRun, waiveGuard } from '../../engine/person-facts.ts'
import { systemClock } from '../../process/clock.ts'
import { configOf } from '../../testing/state-builder.ts'
import { testFolder, toolsIn, type ToolsIn } from '../../../test/support/mcp-support.ts'
import { COMPILE_CACHE, programFile } from '../../../test/support/programs.ts'

const START: JsonObject = {
  taskId: 'TASK-1',
  maxIterations: 10,
  circuitBreakerThreshold: 1,
  completionPromises: ['<promise>COMPLETE</promise>'],
  validationRules: [{ type: 'file_existence', name: 'result', config: { paths: ['result.txt'] } }],
}

const iterationId = 'TASK-1'
const CLAIM = 'Done.\n<promise>COMPLETE</promise>'
const LOGGING = { type: 'command', name: 'logs', config: { command: 'echo run >> run.log; test -f result.txt' } }

function withTest(root: string): string {
  const file = join(root, 'sum.test.js')
  writeFileSync(file, "test('a', () => { expect(1).toBe(1) })\n")
  return file
}

const ANSWERS: readonly [string, (tools: ToolsIn) => Promise<unknown>][] = [
  ['an answer', ({ project }) => answerRun(project.store, systemClock, iterationId, { choice: 'continue' })],
  ['a waiver', ({ project }) => waiveGuard(project.store, systemClock, iterationId, 'circuitBreaker')],
]

test.each(ANSWERS)('MCP-29 what the agent does to its tests after %s is held against it', async (_what, say) => {
  const root = testFolder()
  const file = withTest(root)
  const tools = toolsIn(root)
  await tools.call('iteration_start', START)
  expect(await tools.call('iteration_next', { iterationId })).toMatchObject({ blockedBy: 'circuit_breaker' })
  await say(tools)
  rmSync(file)
  writeFileSync(join(root, 'result.txt'), '')
  const validated = await tools.call('iteration_validate', { iterationId, agentOutput: CLAIM })
  expect(validated).toMatchObject({ validationPassed: true, completionSignal: 'ESCALATE' })
  const looks = (await tools.project.store.read(iterationId)).filter(({ type }) => type === 'workspace.observed')
  expect(looks.map(({ by }) => by.role)).not.toContain('person')
})

test('MCP-29 what the agent does to its tests while its checks are cut short is held against it, and is checked', async () => {
  const root = testFolder()
  const file = withTest(root)
  const ending = new AbortController()
  const slow = {
    type: 'command',
    name: 'slow',
    config: { command: 'test -f quick || test ! -f result.txt || sleep 20; test -f result.txt' },
  }
  const rules = { validationRules: [{ type: 'command', name: 'first', config: { command: 'true' } }, slow] }
  const onProgress = (line: string): void => void (line === 'checking: slow' && ending.abort())
  const cut = toolsIn(root, { signal: ending.signal, onProgress })
  await cut.call('iteration_start', { ...START, ...rules })
  writeFileSync(join(root, 'result.txt'), '')
  await expect(cut.call('iteration_validate', { iterationId, agentOutput: CLAIM })).rejects.toThrow('cancelled')
  rmSync(file)
  writeFileSync(join(root, 'quick'), '')
  const { call, project } = toolsIn(root)
  const validated = await call('iteration_validate', { iterationId, agentOutput: CLAIM })
  // No rule runs the test, so its loss says nothing about them; it is on record as the agent's.
  expect(validated).toMatchObject({ iterationNumber: 1, validationPassed: true, completionSignal: 'COMPLETE' })
  const events = await project.store.read(iterationId)
  expect(events.filter(({ type }) => type === 'check.passed')).toHaveLength(3)
  expect(events.find(({ type }) => type === 'proof.made')?.data).toMatchObject({ changedTests: ['sum.test.js'] })
  expect(events.filter(({ type, by }) => type === 'workspace.observed' && by.role === 'person')).toEqual([])
})

test('MCP-30 an escalation is a question at once, whichever tool found it, and says which guard and why', async () => {
  const root = testFolder()
  const { call } = toolsIn(root)
  await call('iteration_start', START)
  const validated = await call('iteration_validate', { iterationId })
  const why = 'Iteration safety guard: circuit_breaker: Circuit breaker OPEN: 1 consecutive'
  expect(validated).toMatchObject({ completionSignal: 'ESCALATE', feedback: [expect.stringContaining(why), expect.any(String)] })
  expect(await call('run_question', { run: iterationId })).toMatchObject({
    status: 'escalated',
    question: { attempts: [expect.any(String)] },
  })
  const hook = await call('hook_evaluate', { iterationId })
  expect(hook).toMatchObject({ action: 'escalate', reason: expect.stringContaining(why) })
  expect(await call('iteration_next', { iterationId })).toMatchObject({ blockedBy: 'circuit_breaker', iterationNumber: 1 })
  await call('iteration_start', { ...START, taskId: 'TASK-2' })
  const complete = await call('iteration_complete', { iterationId: 'TASK-2', completionPromise: 'COMPLETE' })
  expect(complete).toMatchObject({ completed: false, message: expect.stringContaining(why) })
  expect(complete.message).toContain('run_question')
})

test('MCP-31 in the last iteration a promise may still follow rules that pass', async () => {
  const root = testFolder()
  const { call } = toolsIn(root)
  await call('iteration_start', { ...START, maxIterations: 1 })
  writeFileSync(join(root, 'result.txt'), '')
  const validated = await call('iteration_validate', { iterationId })
  expect(validated).toMatchObject({ completionSignal: 'CONTINUE', feedback: [expect.stringContaining('iteration_complete')] })
  expect(await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })).toMatchObject({ completed: true })
})

test.each(['git', 'folder'])(
  'MCP-32 what a check writes is no work: the same work stays one iteration, also for the next server (%s)',
  async (kind) => {
    const root = testFolder()
    const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' }
    if (kind === 'git') execFileSync('git', ['init', '--quiet'], { cwd: root, env })
    const { call } = toolsIn(root)
    await call('iteration_start', { ...START, circuitBreakerThreshold: 9, validationRules: [LOGGING] })
    writeFileSync(join(root, 'a.js'), '')
    const first = await call('iteration_validate', { iterationId })
    expect(first).toMatchObject({ iterationNumber: 1, validationPassed: false })
    expect(await call('iteration_validate', { iterationId })).toEqual(first)
    expect(await toolsIn(root).call('iteration_validate', { iterationId })).toEqual(first)
    appendFileSync(join(root, 'run.log'), 'the agent\n')
    expect(await call('iteration_validate', { iterationId })).toMatchObject({ iterationNumber: 2 })
    writeFileSync(join(root, 'result.txt'), '')
    expect(await call('iteration_validate', { iterationId })).toMatchObject({ iterationNumber: 3, validationPassed: true })
    expect(await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })).toMatchObject({ completed: true })
  },
)

test('MCP-33 a start after an answer gives the brief of the iteration that it let begin', async () => {
  const { call, project } = toolsIn(testFolder())
  await call('iteration_start', START)
  await call('iteration_next', { iterationId })
  await answerRun(project.store, systemClock, iterationId, { choice: 'continue', note: 'Write result.txt.' })
  const started = await call('iteration_start', START)
  expect(started).toMatchObject({ resumed: true, iterationNumber: 2, instructions: expect.stringContaining('Write result.txt.') })
})

test('MCP-34 no loop begins in a folder where another run is being driven', async () => {
  const root = testFolder()
  const { call, project } = toolsIn(root)
  await call('iteration_start', { ...START, taskId: 'other' })
  const claimed = await project.store.claim('driven', machineProcesses.self())
  if (claimed.status !== 'claimed') throw new Error('The run is free.')
  const config = { ...configOf([]), workspace: { name: 'folder', v: 1, settings: { path: root } } }
  const started = { type: 'run.started', at: 1, by: { role: 'runner' }, data: { config } } as const
  await project.store.append('driven', [started], { claim: claimed.claim, expectedSeq: 0 })
  await expect(call('iteration_start', START)).rejects.toThrow('Run driven is being driven in this folder')
  await project.store.release(claimed.claim)
  expect(await call('iteration_start', START)).toMatchObject({ iterationNumber: 1 })
})

test('MCP-35 cleanup forgets the drafts of what it drops, but none that something else refers to', async () => {
  const { call, project } = toolsIn(testFolder())
  await call('iteration_start', START)
  const draft = async (draftContent: string) => {
    const { checkpointId } = await call('checkpoint_create', { taskId: 'TASK-1', draftContent })
    const found = (await project.store.read(iterationId)).find(
      (event) => event.type === 'checkpoint.created' && event.data.checkpoint === checkpointId,
    )
    return found?.type === 'checkpoint.created' && found.data.draft ? found.data.draft : { sha256: '', bytes: 0 }
  }
  const gone = await draft('only here')
  const said = await draft('also said')
  const shared = await draft('in both')
  await draft('in both')
  await call('iteration_validate', { iterationId, agentOutput: 'also said' })
  await call('checkpoint_cleanup', { olderThan: 0, keepLatest: 1 })
  const texts = await Promise.all([gone, said, shared].map((ref) => project.store.getText(ref)))
  expect(texts).toEqual([undefined, 'also said', 'in both'])
})

function pawl(root: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_GLOBAL: '/dev/null', ...COMPILE_CACHE }
  const options = { cwd: root, env, encoding: 'utf8', timeout: 20_000, stdio: 'pipe' } as const
  return execFileSync(process.execPath, [programFile('cli'), ...args], options)
}

test('MCP-36 on the command line a person accepts, ends or waives, also when the agent is gone', async () => {
  const root = testFolder()
  const { call, project } = toolsIn(root)
  for (const taskId of ['accepted', 'ended', 'waived']) {
    await call('iteration_start', { ...START, taskId })
    await call('iteration_validate', { iterationId: taskId })
  }
  expect(pawl(root, 'answer', 'accepted', 'accept')).toContain('The run is completed.')
  expect(pawl(root, 'answer', 'ended', 'abort')).toContain('The run is aborted.')
  expect(pawl(root, 'resume', 'waived', '--waive', 'circuitBreaker')).toContain('may be passed once')
  const ends = await Promise.all(['accepted', 'ended'].map(async (run) => (await project.store.read(run)).at(-1)?.type))
  expect(ends).toEqual(['run.completed', 'run.aborted'])
  expect(() => pawl(root, 'resume', 'ended', '--waive', 'circuitBreaker')).toThrow('aborted already')
  expect(await call('iteration_next', { iterationId: 'waived' })).toMatchObject({ iterationNumber: 2 })
})

const CHECKED = 'checks:\n  - { name: tests, command: node --test }\n'
const { validationRules: _none, ...BARE } = START

function withSums(root: string, sum: string): void {
  writeFileSync(join(root, 'pawl.yaml'), CHECKED)
  writeFileSync(join(root, 'add.mjs'), `export const add = (a, b) => ${sum}\n`)
  writeFileSync(
    join(root, 'add.test.mjs'),
    "import assert from 'node:assert'\nimport test from 'node:test'\nimport { add } from './add.mjs'\n\ntest('adds', () => assert.equal(add(1, 2), 3))\n",
  )
}

test('MCP-72 a pass that proves nothing is not complete: the question comes with it, and a person can accept', async () => {
  const root = testFolder()
  withSums(root, 'a + b')
  const { call } = toolsIn(root, { relaysAnswers: true })
  await call('iteration_start', BARE)
  writeFileSync(join(root, 'notes.txt'), 'median\n')
  const refused = await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })
  expect(refused).toMatchObject({
    completed: false,
    proof: { level: 'unproven', turned: [], findings: [] },
    question: { id: expect.stringMatching(/^TASK-1@\d+$/), code: 'unproven' },
    validation: { validationPassed: true, completionSignal: 'ESCALATE' },
  })
  expect(refused.question.options.map(({ choice }: JsonObject) => choice)).toContain('accept')
  expect(refused.message).toContain('run_question')
  expect((await call('run_question', { run: iterationId, ask: false })).question).toEqual(refused.question)
  await call('run_answer', { run: iterationId, choice: 'accept' })
  const accepted = await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })
  expect(accepted).toMatchObject({ completed: true, proof: { level: 'unproven', isAccepted: true } })
  expect(accepted.question).toBeUndefined()
  expect((await call('run_list', {})).runs).toMatchObject([{ proof: 'unproven' }])
})

test('MCP-72 a pass that the old tests refute is not complete, and the proof says which fail', async () => {
  const root = testFolder()
  withSums(root, 'a - b')
  const { call } = toolsIn(root)
  await call('iteration_start', BARE)
  const weak = "import test from 'node:test'\n\ntest('adds', () => {})\n"
  writeFileSync(join(root, 'add.test.mjs'), weak)
  const refused = await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })
  expect(refused).toMatchObject({ completed: false, question: { code: 'refuted' }, proof: { changedTests: ['add.test.mjs'] } })
  expect(refused.proof.findings).toMatchObject([{ code: 'old-tests-fail', check: 'tests' }])
  expect(await call('run_history', { run: iterationId })).toMatchObject({ status: 'escalated', proof: refused.proof })
})

test('MCP-72 a pass that is proven says by which tests', async () => {
  const root = testFolder()
  withSums(root, 'a - b')
  const { call } = toolsIn(root)
  await call('iteration_start', BARE)
  writeFileSync(join(root, 'add.mjs'), 'export const add = (a, b) => a + b\n')
  const complete = await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })
  expect(complete).toMatchObject({ completed: true, proof: { level: 'red-to-green', changedTestsCount: 0, findings: [] } })
  expect(complete.proof.turned).toEqual([expect.stringContaining('adds')])
  expect((await call('run_list', {})).runs).toMatchObject([{ proof: 'red-to-green' }])
})
