import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { advance } from '../../core/advance.ts'
import type { JsonObject } from '../../core/json.ts'
import { ownOddsIn } from '../../guards/odds/own-odds.ts'
import { machineProcesses } from '../../process/processes.ts'
import { answerRun } from '../../engine/person-facts.ts'
import { systemClock } from '../../process/clock.ts'
import { testProject } from '../../../test/support/cli-project.ts'
import { TOOLS } from './mcp-server.ts'
import { DRAFT_BYTES_MAX } from './checkpoints.ts'
import { presentState } from './tool-session.ts'
import { testFolder, type ToolsIn, toolsIn } from '../../../test/support/mcp-support.ts'

const RESULT = { type: 'file_existence', name: 'result', config: { paths: ['result.txt'] } }

const START: JsonObject = {
  taskId: 'TASK-1',
  maxIterations: 10,
  completionPromises: ['<promise>COMPLETE</promise>'],
  validationRules: [RESULT],
}

const iterationId = 'TASK-1'
const CLAIM = 'Done.\n<promise>COMPLETE</promise>'

test.each([
  ['maxIterations', { ...START, maxIterations: 0 }],
  ['maxIterations', { ...START, maxIterations: 101 }],
  ['circuitBreakerThreshold', { ...START, circuitBreakerThreshold: 21 }],
  ['names no promise twice', { ...START, completionPromises: ['<promise>A</promise>', '<promise>A</promise>'] }],
  ['<promise>COMPLETE</promise>', { ...START, completionPromises: ['COMPLETE'] }],
  ['other than BLOCKED', { ...START, completionPromises: ['<promise>BLOCKED</promise>'] }],
  ['names of their own', { ...START, validationRules: [RESULT, RESULT] }],
  ['timeout', { ...START, validationRules: [{ type: 'command', name: 'x', config: { command: 'true', timeout: 5 } }] }],
  ['paths', { ...START, validationRules: [{ type: 'file_existence', name: 'x', config: { paths: [] } }] }],
  ['validatorId', { ...START, validationRules: [{ type: 'custom', name: 'x', config: { validatorId: 'a b' } }] }],
])('MCP-9 arguments out of range are refused with what is wrong: %s', async (words, args) => {
  const { call } = toolsIn(testFolder())
  await expect(call('iteration_start', args as JsonObject)).rejects.toThrow(words)
})

test('MCP-10 the same start again finds the loop, another one is refused, and after the end a new one begins', async () => {
  const root = testFolder()
  const { call } = toolsIn(root)
  await call('iteration_start', START)
  expect(await call('iteration_start', START)).toMatchObject({ iterationId, resumed: true, iterationNumber: 1 })
  await expect(call('iteration_start', { ...START, maxIterations: 9 })).rejects.toThrow('pawl abort TASK-1')
  writeFileSync(join(root, 'result.txt'), '')
  expect(await call('iteration_validate', { iterationId, agentOutput: CLAIM })).toMatchObject({ completionSignal: 'COMPLETE' })
  expect(await call('iteration_start', START)).toMatchObject({ iterationId: 'TASK-1-2', resumed: false })
  expect(await call('iteration_start', { ...START, taskId: 'a/b ü' })).toMatchObject({ iterationId: 'a-b', taskId: 'a/b ü' })
})

test('SAFE-2 two starts of one task at the same moment, by one server or by two, give both the same loop', async () => {
  const root = testFolder()
  const servers = [toolsIn(root), toolsIn(root), toolsIn(root)]
  const started = await Promise.all([...servers, ...servers].map(({ call }) => call('iteration_start', START)))
  expect(started.map((each) => each.iterationId)).toEqual(started.map(() => iterationId))
  expect(started.filter(({ resumed }) => !resumed)).toHaveLength(1)
  const [{ project }] = servers as [ToolsIn]
  const events = await project.store.read(iterationId)
  expect(events.filter(({ type }) => type === 'run.started')).toHaveLength(1)
  await expect(servers[1]?.call('iteration_start', { ...START, maxIterations: 9 })).rejects.toThrow('pawl abort TASK-1')
})

test('SAFE-3 checkpoint_cleanup says that it deletes, in its annotations and its description', async () => {
  const found = TOOLS.filter(({ isDestructive }) => isDestructive)
  expect(found.map(({ name }) => name)).toEqual(['checkpoint_cleanup'])
  expect(found[0]?.description).toMatch(/^Deletes .* can't be undone/)
})

test('MCP-68 how a success is proved comes from pawl.yaml, and a file that is wrong is named', async () => {
  const root = testFolder()
  const { call, project } = toolsIn(root)
  writeFileSync(join(root, 'pawl.yaml'), 'require_proof: red-to-gren\n')
  await expect(call('iteration_start', START)).rejects.toThrow('did you mean "red-to-green"?')
  writeFileSync(join(root, 'pawl.yaml'), 'tests: [checks]\nrequire_proof: red-to-green\n')
  await call('iteration_start', START)
  expect((await presentState(project, iterationId))?.config.proof).toEqual({ tests: ['checks'], require: 'red-to-green' })
})

test('ODDS-35 a run begins with what the runs before it taught about the odds, as a fact of its journal', async () => {
  const root = testFolder()
  const { call, project } = toolsIn(root)
  const ownOf = async (run: string) => ownOddsIn((await presentState(project, run))?.given.guards ?? [])
  await call('iteration_start', START)
  expect(await ownOf(iterationId)).toBeUndefined()
  await call('iteration_validate', { iterationId })
  await call('iteration_next', { iterationId })
  writeFileSync(join(root, 'result.txt'), '')
  expect(await call('iteration_validate', { iterationId, agentOutput: CLAIM })).toMatchObject({ completionSignal: 'COMPLETE' })
  await call('iteration_start', { ...START, taskId: 'TASK-2' })
  expect(await ownOf('TASK-2')).toMatchObject({ attempts: { loops: 1 } })
  expect((await ownOf('TASK-2'))?.attempts?.shift).toBeGreaterThan(0)
  expect(await ownOf(iterationId)).toBeUndefined()
})

test('MCP-11 the same work validated twice is one iteration, other work is the next', async () => {
  const root = testFolder()
  const { call } = toolsIn(root)
  await call('iteration_start', START)
  const first = await call('iteration_validate', { iterationId })
  expect(await call('iteration_validate', { iterationId })).toEqual(first)
  writeFileSync(join(root, 'other.txt'), '')
  expect(await call('iteration_validate', { iterationId })).toMatchObject({ iterationNumber: 2 })
  expect(await call('iteration_next', { iterationId })).toMatchObject({ iterationNumber: 3 })
})

test('MCP-11 an iteration that a hook began is the next one, and is not counted for being asked for', async () => {
  const { call, project } = toolsIn(testFolder())
  await call('iteration_start', START)
  await call('iteration_validate', { iterationId })
  const { definition } = await project.partsFor((await presentState(project, iterationId))!.config)
  const claimed = await project.store.claim(iterationId, machineProcesses.self())
  if (claimed.status !== 'claimed') throw new Error('The run is free.')
  const state = (await presentState(project, iterationId))!
  const { append } = advance(definition, iterationId, state, [])
  await project.store.append(iterationId, append, { claim: claimed.claim, expectedSeq: state.seq })
  await project.store.release(claimed.claim)
  expect(await call('iteration_next', { iterationId })).toMatchObject({ iterationNumber: 2 })
  expect(await call('iteration_next', { iterationId })).toMatchObject({ iterationNumber: 3 })
})

test('MCP-11 where a rule looks at what the agent said, other words are other work', async () => {
  const { call } = toolsIn(testFolder())
  const rule = { type: 'content_pattern', name: 'says', config: { pattern: 'ready', target: 'agent_output' } }
  await call('iteration_start', { ...START, validationRules: [rule] })
  expect(await call('iteration_validate', { iterationId, agentOutput: 'No.' })).toMatchObject({ validationPassed: false })
  const second = await call('iteration_validate', { iterationId, agentOutput: 'It is ready.\n<promise>COMPLETE</promise>' })
  // No file was changed, so nothing proves it.
  expect(second).toMatchObject({ iterationNumber: 2, validationPassed: true, completionSignal: 'ESCALATE' })
})

test('MCP-12 a promise holds only on the files as they are: what changed after the validation is checked again', async () => {
  const root = testFolder()
  const { call } = toolsIn(root)
  const rule = { type: 'command', name: 'right', config: { command: ['grep', '-q', 'right', 'result.txt'] } }
  await call('iteration_start', { ...START, validationRules: [rule] })
  writeFileSync(join(root, 'result.txt'), 'right\n')
  expect(await call('iteration_validate', { iterationId })).toMatchObject({ validationPassed: true })
  writeFileSync(join(root, 'result.txt'), 'wrong\n')
  const complete = await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })
  expect(complete).toMatchObject({ completed: false, validation: { validationPassed: false, iterationNumber: 2 } })
  await expect(call('iteration_complete', { iterationId, completionPromise: 'READY' })).rejects.toThrow('was not declared')
})

test('MCP-69 D9 checks and protected files of pawl.yaml hold whatever the agent declares', async () => {
  const root = testFolder()
  writeFileSync(join(root, 'pawl.yaml'), 'checks:\n  - { name: tests, command: grep -q right work.txt }\nprotect: ["spec/**"]\n')
  const { call, project } = toolsIn(root)
  const same = { type: 'command', name: 'tests', config: { command: 'true' } }
  await expect(call('iteration_start', { ...START, validationRules: [same] })).rejects.toThrow('a check in pawl.yaml')
  await call('iteration_start', START)
  expect((await presentState(project, iterationId))?.config).toMatchObject({ protect: ['spec/**'] })
  writeFileSync(join(root, 'result.txt'), '')
  const refused = await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })
  expect(refused).toMatchObject({ completed: false, validation: { results: [{ ruleName: 'tests', passed: false }, {}] } })
  writeFileSync(join(root, 'work.txt'), 'right\n')
  expect(await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })).toMatchObject({ completed: true })
})

test('MCP-13 no rule, no success: a promise without rules is never believed', async () => {
  const { call } = toolsIn(testFolder())
  const { validationRules: _none, ...bare } = START
  expect((await call('iteration_start', bare)).warnings).toHaveLength(1)
  const validated = await call('iteration_validate', { iterationId, agentOutput: CLAIM })
  expect(validated).toMatchObject({ validationPassed: false, completionSignal: 'ESCALATE', results: [] })
})

test('MCP-14 a rule that cannot run is no failed attempt: a person is asked, and the same iteration continues', async () => {
  const root = testFolder()
  const { call, project } = toolsIn(root)
  const rule = { type: 'command', name: 'gone', config: { command: ['no-such-program-anywhere'] } }
  await call('iteration_start', { ...START, validationRules: [rule] })
  const validated = await call('iteration_validate', { iterationId })
  expect(validated).toMatchObject({ validationPassed: false, completionSignal: 'ESCALATE' })
  expect(validated.results[0].message).toContain('Could not run')
  expect(await call('iteration_next', { iterationId })).toMatchObject({ blockedBy: 'question', iterationNumber: 1 })
  await answerRun(project.store, systemClock, iterationId, { choice: 'continue' })
  expect(await call('iteration_validate', { iterationId })).toMatchObject({ iterationNumber: 1 })
})

test.each([
  ['max_iterations', { maxIterations: 2 }, 'Iteration 3 exceeds maximum of 2. Circuit breaker triggered.'],
  [
    'circuit_breaker',
    {},
    'Circuit breaker OPEN: 3 consecutive validation failures (threshold: 3). Manual intervention required.',
  ],
  ['thrashing', { circuitBreakerThreshold: 20 }, 'Thrashing detected: 1 file(s) modified 5+ times without progress: a.ts'],
])('MCP-15 iteration_next asks the guards and is blocked by %s, with a final checkpoint', async (blockedBy, over, error) => {
  const root = testFolder()
  const { call } = toolsIn(root)
  await call('iteration_start', { ...START, ...over })
  let answer: JsonObject = {}
  for (let round = 1; round <= 10 && answer['error'] === undefined; round++) {
    writeFileSync(join(root, 'a.ts'), String(round))
    answer = await call('iteration_next', { iterationId })
  }
  expect(answer).toMatchObject({ blockedBy, error, blockedReason: `Iteration safety guard: ${blockedBy}` })
  expect(await call('iteration_next', { iterationId })).toEqual(answer)
  const { checkpoints } = await call('checkpoint_list', { taskId: 'TASK-1' })
  expect(checkpoints).toHaveLength(1)
  expect(checkpoints[0]).toMatchObject({ trigger: 'error', agent_context: { safetyGuardTriggered: blockedBy, message: error } })
})

test('MCP-15 D2 pass, fail, fail, fail is the circuit breaker, and with a higher threshold the regression', async () => {
  for (const [threshold, blockedBy] of [
    [3, 'circuit_breaker'],
    [9, 'quality_regression'],
  ] as const) {
    const root = testFolder()
    const { call } = toolsIn(root)
    const rule = { type: 'command', name: 'first', config: { command: ['test', '!', '-f', 'later.txt'] } }
    await call('iteration_start', { ...START, validationRules: [rule], circuitBreakerThreshold: threshold })
    await call('iteration_next', { iterationId })
    writeFileSync(join(root, 'later.txt'), '')
    await call('iteration_next', { iterationId })
    await call('iteration_next', { iterationId })
    expect(await call('iteration_next', { iterationId })).toMatchObject({ blockedBy, iterationNumber: 4 })
  }
})

test('MCP-16 D5 BLOCKED comes before everything and never completes; its reason reaches the person', async () => {
  const root = testFolder()
  const { call } = toolsIn(root)
  await call('iteration_start', { ...START, maxIterations: 1 })
  writeFileSync(join(root, 'result.txt'), '')
  const agentOutput = '<promise>COMPLETE</promise> or rather <promise>BLOCKED: no password</promise>'
  expect(await call('iteration_validate', { iterationId, agentOutput })).toMatchObject({ completionSignal: 'BLOCKED' })
  const blocked = await call('iteration_next', { iterationId })
  expect(blocked).toMatchObject({ blockedBy: 'blocked' })
  expect(blocked.question.text).toContain('no password')
})

test('MCP-17 a person answers on the command line and the next iteration continues with their words', async () => {
  const { call, project } = toolsIn(testFolder())
  await call('iteration_start', { ...START, maxIterations: 1 })
  await call('iteration_next', { iterationId })
  await answerRun(project.store, systemClock, iterationId, { choice: 'continue', note: 'Write result.txt.' })
  const next = await call('iteration_next', { iterationId })
  expect(next).toMatchObject({ iterationNumber: 2 })
  expect(next.config.maxIterations).toBeGreaterThan(1)
  expect(next.instructions).toContain('Write result.txt.')
})

test('MCP-4 only a person answers: without a client that can ask the agent gets the command', async () => {
  const { call } = toolsIn(testFolder())
  await call('iteration_start', { ...START, maxIterations: 1 })
  await call('iteration_next', { iterationId })
  expect(await call('run_question', { run: 'TASK-1' })).toMatchObject({
    answered: false,
    status: 'escalated',
    question: { answerWith: 'pawl answer TASK-1 NUMBER' },
  })
  await expect(call('run_answer', { run: 'TASK-1', choice: '1' })).rejects.toThrow('pawl answer TASK-1 continue')
  await expect(call('run_answer', { run: 'TASK-1', choice: '9' })).rejects.toThrow('it takes 1 (continue)')
})

test('MCP-4 a server that may relay relays answers, and one that ends the run ends it at once', async () => {
  const { call } = toolsIn(testFolder(), { relaysAnswers: true })
  await call('iteration_start', { ...START, maxIterations: 1 })
  await call('iteration_next', { iterationId })
  expect(await call('run_answer', { run: 'TASK-1', choice: 'accept' })).toMatchObject({ status: 'completed' })
})

test('MCP-18 a checkpoint keeps files, context and a draft, cut and marked, and lasts as long as its kind', async () => {
  const root = testFolder()
  const { call } = toolsIn(root)
  await call('iteration_start', START)
  writeFileSync(join(root, 'a.txt'), 'before\n')
  const made = await call('checkpoint_create', {
    taskId: 'TASK-1',
    agentContext: { step: 'half' },
    draftContent: 'é'.repeat(DRAFT_BYTES_MAX),
  })
  expect(made).toMatchObject({ trigger: 'manual', draftTruncated: true, agent_context: { step: 'half' } })
  expect(hoursOf(made)).toBe(7 * 24)
  const got = await call('checkpoint_get', { checkpointId: made.checkpointId })
  expect(Buffer.byteLength(got.draftContent)).toBeLessThanOrEqual(DRAFT_BYTES_MAX)
  expect(got.draftContent.endsWith('é\n[TRUNCATED]')).toBe(true)
  writeFileSync(join(root, 'a.txt'), 'after\n')
  const back = await call('checkpoint_resume', { taskId: 'TASK-1', restoreFiles: true })
  expect(back).toMatchObject({ restored: true, iterationNumber: 1, checkpointId: made.checkpointId })
  expect(back.savedAs).toContain('saved-')
  expect(execFileSync('cat', [join(root, 'a.txt')], { encoding: 'utf8' })).toBe('before\n')
  expect(hoursOf(await call('checkpoint_create', { taskId: 'TASK-1', trigger: 'auto' }))).toBe(24)
  expect(hoursOf(await call('checkpoint_create', { taskId: 'TASK-1', trigger: 'pause' }))).toBe(10_080 / 60)
})

test('MCP-19 cleanup drops what is old with its refs, says so, and the journal stays whole', async () => {
  const root = testFolder()
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' } })
  git('init', '--quiet')
  const { call, project } = toolsIn(root)
  await call('iteration_start', START)
  const { checkpointId } = await call('checkpoint_create', { taskId: 'TASK-1' })
  const newer = await call('checkpoint_create', { taskId: 'TASK-1' })
  expect(await call('checkpoint_cleanup', {})).toMatchObject({ dropped: [], kept: 2 })
  const cleaned = await call('checkpoint_cleanup', { olderThan: 0, keepLatest: 1 })
  expect(cleaned).toMatchObject({ dropped: [checkpointId], kept: 1 })
  expect(cleaned.refsDropped).toHaveLength(1)
  expect(git('for-each-ref', '--format=%(refname)')).not.toContain(cleaned.refsDropped[0])
  await expect(call('checkpoint_get', { checkpointId })).rejects.toThrow(newer.checkpointId)
  const types = (await project.store.read(iterationId)).map(({ type }) => type)
  expect(types.filter((type) => type.startsWith('checkpoint.'))).toEqual([
    'checkpoint.created',
    'checkpoint.created',
    'checkpoint.dropped',
  ])
  expect(await call('iteration_validate', { iterationId })).toMatchObject({ iterationNumber: 1 })
})

test('MCP-19 without git the names of plain copies are dropped', async () => {
  const { call } = toolsIn(testFolder())
  await call('iteration_start', START)
  await call('checkpoint_create', { taskId: 'TASK-1' })
  const cleaned = await call('checkpoint_cleanup', { taskId: 'TASK-1', olderThan: 0 })
  expect(cleaned.refsDropped).toHaveLength(1)
  expect(await call('checkpoint_list', { taskId: 'TASK-1' })).toMatchObject({ checkpoints: [], total: 0 })
})

test('MCP-20 stop hooks are kept with the run; a validation hook is content when the rules pass', async () => {
  const root = testFolder()
  const { call } = toolsIn(root)
  await call('iteration_start', START)
  expect(await call('hook_evaluate', { iterationId, agentOutput: CLAIM, draftContent: 'half' })).toMatchObject({
    action: 'continue',
    validation: { completionSignal: 'CONTINUE' },
  })
  expect((await call('checkpoint_list', { taskId: 'TASK-1' })).checkpoints[0]).toMatchObject({ trigger: 'auto', draftBytes: 4 })
  await call('iteration_next', { iterationId })
  const metadata = { by: 'me' }
  expect(await call('hook_register', { taskId: 'TASK-1', hookType: 'promise', metadata })).toMatchObject({ hook: { metadata } })
  writeFileSync(join(root, 'result.txt'), '')
  expect(await call('hook_evaluate', { iterationId, agentOutput: 'Nothing to say.' })).toMatchObject({ action: 'continue' })
  await call('hook_register', { taskId: 'TASK-1', hookType: 'validation' })
  expect((await call('hook_list', { taskId: 'TASK-1' })).hooks).toHaveLength(2)
  expect(await call('hook_evaluate', { iterationId, agentOutput: 'Nothing to say.' })).toMatchObject({ action: 'complete' })
  expect(await call('hook_evaluate', { iterationId })).toMatchObject({ action: 'complete' })
})

test('MCP-20 cleared hooks are gone', async () => {
  const { call } = toolsIn(testFolder())
  await call('iteration_start', START)
  await call('hook_register', { taskId: 'TASK-1', hookType: 'validation' })
  expect(await call('hook_clear', { taskId: 'TASK-1' })).toMatchObject({ cleared: 1 })
  expect((await call('hook_list', { taskId: 'TASK-1' })).hooks).toEqual([])
})

test('MCP-21 a run that another process writes is refused with who it is', async () => {
  const root = testFolder()
  const { call, project } = toolsIn(root)
  await call('iteration_start', START)
  const claimed = await project.store.claim(iterationId, machineProcesses.self())
  expect(claimed.status).toBe('claimed')
  await expect(toolsIn(root).call('iteration_next', { iterationId })).rejects.toThrow(`process ${process.pid}`)
})

test('MCP-22 a loop of one’s own gets a decision for a document, and a wrong document is answered with what is wrong', async () => {
  const { call } = toolsIn(testFolder())
  expect(await call('iteration_check', document(1))).toMatchObject({ decision: { action: 'retry', iteration: 2 } })
  const last = await call('iteration_check', { ...document(2), earlier: [document(1)] })
  expect(last).toMatchObject({ decision: { action: 'escalate' } })
  await expect(call('iteration_check', { iteration_check: { task_id: 'T' } })).rejects.toThrow('current_iteration')
})

test('MCP-23 runs are listed with their status, and an unknown one is answered with how to begin', async () => {
  const { call } = toolsIn(testFolder())
  await call('iteration_start', START)
  expect((await call('run_list', {})).runs).toMatchObject([
    { run: 'TASK-1', taskId: 'TASK-1', status: 'running', hasQuestion: false },
  ])
  await expect(call('iteration_next', { iterationId: 'nobody' })).rejects.toThrow('iteration_start')
  await expect(call('run_history', { run: '../x' })).rejects.toThrow('run_list')
})

test('MCP-66 what a run took is reported as far as it is known', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  await project.loop({ passesAt: 2, reports: [{ tokens: 500, costUsd: 0.02 }, { tokens: 700 }] }).run('part')
  await project.loop({ passesAt: 3, reports: [{ tokens: 500, costUsd: 0 }] }).run('unknown')
  await project.loop({ passesAt: 4, reports: [{ tokens: 500, costUsd: 0.02 }] }).run('known')
  await project.close()
  const { call } = toolsIn(project.root)
  const rows = Object.fromEntries((await call('run_list', {})).runs.map((row: JsonObject) => [row['run'], row]))
  expect(rows['part']).toMatchObject({ costUsd: 0.02, isCostPartial: true, tokens: 1200 })
  expect(rows['known']).toMatchObject({ costUsd: 0.02, tokens: 500 })
  expect(rows['known']).not.toHaveProperty('isCostPartial')
  expect(rows['unknown']).toMatchObject({ tokens: 500, isCostPartial: true })
  expect(rows['unknown']).not.toHaveProperty('costUsd')
  expect(await call('run_history', { run: 'part' })).toMatchObject({ costUsd: 0.02, isCostPartial: true, tokens: 1200 })
  const { events, ...unknown } = await call('run_history', { run: 'unknown' })
  const ended = events.find(({ type }: JsonObject) => type === 'iteration.ended')
  expect(ended.data).toContain('"tokens":500')
  expect(JSON.stringify([unknown, ended])).not.toContain('costUsd')
  await call('iteration_start', START)
  expect(await call('run_history', { run: 'TASK-1' })).not.toHaveProperty('tokens')
})

test('MCP-67 a reviewer, a questioner and fallbacks are built as on the command line', async () => {
  const { call, project } = toolsIn(testFolder())
  await call('iteration_start', START)
  const { config } = (await presentState(project, iterationId))!
  const claude = { name: 'claude', v: 1, settings: {} }
  const codex = { name: 'codex', v: 1, settings: {} }
  const review = { name: 'agent-review', v: 1, settings: { name: 'review', review: 'agent', agent: claude } }
  const given = { ...config, checks: [...config.checks, review], questioner: claude, fallbacks: [codex] }
  const { checks, questioner, fallbacks } = await project.partsFor(given)
  expect(checks.map(({ reviewer }) => reviewer?.agent.spec.name)).toEqual([undefined, 'claude'])
  expect(questioner?.spec).toMatchObject({ name: 'claude' })
  expect(fallbacks?.map(({ spec }) => spec.name)).toEqual(['codex'])
  const unknown = { ...config, questioner: { name: 'custom', v: 1, settings: {} } }
  await expect(project.partsFor(unknown)).rejects.toMatchObject({ code: 'run.unknown-part' })
})

function document(current_iteration: number): JsonObject {
  return {
    iteration_check: { task_id: 'T', current_iteration, max_iterations: 2, test_result: { status: 'fail', output: 'boom' } },
  }
}

function hoursOf({ createdAt, expiresAt }: { createdAt: string; expiresAt: string }): number {
  return (Date.parse(expiresAt) - Date.parse(createdAt)) / 3_600_000
}
