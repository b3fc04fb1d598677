import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { answerRun } from '../../engine/person-facts.ts'
import { systemClock } from '../../process/clock.ts'
import { testFolder, toolsIn } from '../../../test/support/mcp-support.ts'

const iterationId = 'TASK-1'
const START = { taskId: iterationId, maxIterations: 5, completionPromises: ['<promise>COMPLETE</promise>'] }
const CLAIM = { iterationId, completionPromise: 'COMPLETE' }
const GREEN = 'checks:\n  - { name: tests, command: test -f pawl.yaml }\n'
const RED = 'checks:\n  - { name: tests, command: grep -q done work.txt }\n'

function projectWith(settings: string): string {
  const root = testFolder()
  writeFileSync(join(root, 'pawl.yaml'), settings)
  writeFileSync(join(root, 'work.txt'), 'nothing yet\n')
  return root
}

const work = (root: string, text = 'done\n') => writeFileSync(join(root, 'work.txt'), text)
const choicesOf = ({ options }: { options: JsonObject[] }) => options.map(({ choice }) => choice)

/** An agent of the project's own that approves work which says "done". */
const JUDGE = 'agents:\n  judge: { command: "sh ./judge.sh" }\n'

const says = (verdict: string) => `echo '${JSON.stringify({ verdict, summary: verdict, findings: [] })}'`
const VERDICT = `cat > /dev/null; if grep -q done work.txt; then ${says('approve')}; else ${says('reject')}; fi\n`
const writeJudge = (root: string) => writeFileSync(join(root, 'judge.sh'), VERDICT)

test('MCP-73 `check` answers an unproven pass: the person confirms the command in their client, and nobody works meanwhile', async () => {
  const root = projectWith(GREEN)
  const { call } = toolsIn(root, { canElicit: true })
  await call('iteration_start', START)
  work(root)
  expect(await call('iteration_complete', CLAIM)).toMatchObject({ completed: false, question: { code: 'unproven' } })
  const asked = await call('run_answer', { run: iterationId, choice: 'check', note: 'true' })
  const content = { choice: 'check', note: 'grep -q done work.txt' }
  const answers = Object.fromEntries(Object.keys(asked.inputRequests).map((key) => [key, { action: 'accept', content }]))
  const answering = toolsIn(root, { canElicit: true, inputResponses: answers })
  const answer = await answering.call('run_answer', { run: iterationId, choice: 'check', note: 'true' })
  expect(answer).toMatchObject({ choice: 'check', status: 'completed' })
  const proof = { level: 'red-to-green', turned: ['grep -q done work.txt'] }
  expect(await call('iteration_complete', CLAIM)).toMatchObject({ completed: true, proof })
})

test('MCP-73 a command is never relayed by the agent', async () => {
  const root = projectWith(GREEN)
  const { call } = toolsIn(root, { relaysAnswers: true })
  await call('iteration_start', START)
  work(root)
  await call('iteration_complete', CLAIM)
  const answer = call('run_answer', { run: iterationId, choice: 'check', note: 'true' })
  await expect(answer).rejects.toMatchObject({ code: 'mcp.person-only' })
})

test('MCP-73 an added check that fails is the next feedback, and the promise is refuted', async () => {
  const root = projectWith(GREEN)
  const { call, project } = toolsIn(root)
  await call('iteration_start', START)
  work(root)
  await call('iteration_complete', CLAIM)
  await answerRun(project.store, systemClock, iterationId, { choice: 'check', note: 'grep -q perfect work.txt' })
  const refused = await call('iteration_complete', CLAIM)
  const results = [{ passed: true }, { ruleName: 'grep -q perfect work.txt', passed: false }]
  expect(refused).toMatchObject({ completed: false, validation: { iterationNumber: 1, validationPassed: false, results } })
  const next = await call('iteration_next', { iterationId })
  expect(next).toMatchObject({ iterationNumber: 2, instructions: expect.stringContaining('grep -q perfect work.txt') })
  work(root, 'perfect\n')
  expect(await call('iteration_complete', CLAIM)).toMatchObject({ completed: true, proof: { level: 'red-to-green' } })
})

test('MCP-73 `review` has the project’s agent review the work', async () => {
  const root = projectWith(`${GREEN}agent: judge\n${JUDGE}`)
  writeJudge(root)
  const { call } = toolsIn(root, { relaysAnswers: true })
  await call('iteration_start', START)
  work(root)
  expect(choicesOf((await call('iteration_complete', CLAIM)).question)).toContain('review')
  expect(await call('run_answer', { run: iterationId, choice: 'review' })).toMatchObject({ status: 'completed' })
  const proof = { level: 'reviewed', reviewers: ['judge'] }
  expect(await call('iteration_complete', CLAIM)).toMatchObject({ completed: true, proof })
  await expect(call('iteration_next', { iterationId })).rejects.toMatchObject({ code: 'mcp.completed' })
})

test('MCP-73 `write-test` tells the agent to write one, and not that it made no promise', async () => {
  const root = projectWith('checks:\n  - { name: tests, command: node --test }\n')
  const { call } = toolsIn(root, { relaysAnswers: true })
  writeFileSync(join(root, 'a.test.mjs'), "import test from 'node:test'\ntest('a', () => {})\n")
  await call('iteration_start', START)
  writeFileSync(join(root, 'twice.mjs'), 'export const twice = (a) => a + a\n')
  await call('iteration_complete', CLAIM)
  expect(await call('run_answer', { run: iterationId, choice: 'write-test' })).toMatchObject({ status: 'running' })
  const { instructions } = await call('iteration_next', { iterationId })
  expect(instructions).toContain('Write a test that fails without your change')
  expect(instructions).not.toContain("didn't end with a promise")
  const uses = "import assert from 'node:assert'\nimport test from 'node:test'\nimport { twice } from './twice.mjs'\n"
  writeFileSync(join(root, 'twice.test.mjs'), `${uses}test('twice', () => assert.equal(twice(2), 4))\n`)
  expect(await call('iteration_complete', CLAIM)).toMatchObject({ completed: true, proof: { level: 'self-tested' } })
})

test('MCP-73 RALPH-15 a promise that no check can confirm is proven by an added check, on the work that is there', async () => {
  const root = testFolder()
  writeFileSync(join(root, 'work.txt'), 'nothing yet\n')
  const { call, project } = toolsIn(root)
  await call('iteration_start', START)
  work(root)
  const asked = await call('iteration_complete', CLAIM)
  expect(asked).toMatchObject({ completed: false, question: { code: 'unproven' } })
  expect(asked.question.text).toContain('No check or rule can confirm')
  expect(choicesOf(asked.question)).toEqual(['accept', 'check', 'continue', 'abort'])
  await answerRun(project.store, systemClock, iterationId, { choice: 'check', note: 'grep -q done work.txt' })
  expect(await call('iteration_complete', CLAIM)).toMatchObject({ completed: true, proof: { level: 'red-to-green' } })
})

test('MCP-74 the reviewer of pawl.yaml reviews what is promised: a rejection is feedback, an approval makes it reviewed', async () => {
  const root = projectWith(`${GREEN}reviewer: judge\n${JUDGE}`)
  writeJudge(root)
  const { call } = toolsIn(root)
  await call('iteration_start', START)
  work(root, 'begun\n')
  const validated = await call('iteration_validate', { iterationId })
  expect(validated).toMatchObject({ validationPassed: true, results: [{ ruleName: 'tests' }] })
  const rejected = await call('iteration_complete', CLAIM)
  expect(rejected).toMatchObject({ completed: false, validation: { completionSignal: 'CONTINUE', validationPassed: false } })
  expect(rejected.validation.results).toMatchObject([{ passed: true }, { ruleName: 'review', passed: false }])
  await call('iteration_next', { iterationId })
  work(root)
  expect(await call('iteration_complete', CLAIM)).toMatchObject({ completed: true, proof: { level: 'reviewed' } })
})

test('MCP-74 a person who reviews is asked once the agent promises', async () => {
  const root = projectWith(`${GREEN}reviewer: person\n`)
  const { call } = toolsIn(root, { relaysAnswers: true })
  await call('iteration_start', START)
  work(root)
  expect(await call('iteration_validate', { iterationId })).toMatchObject({ completionSignal: 'CONTINUE' })
  const asked = await call('iteration_complete', CLAIM)
  expect(asked).toMatchObject({ completed: false, question: { code: 'review' } })
  expect(await call('run_answer', { run: iterationId, choice: 'approve' })).toMatchObject({ status: 'completed' })
})

test('MCP-75 a slow check runs once the others pass, and nothing is complete without it', async () => {
  const slow = '  - { name: slow, command: grep -q perfect work.txt, when: before-success }\n'
  const root = projectWith(RED + slow)
  const { call } = toolsIn(root)
  await call('iteration_start', START)
  const first = await call('iteration_validate', { iterationId })
  const notRun = { ruleName: 'slow', passed: false, message: 'Was not run: it runs once the others pass.' }
  expect(first).toMatchObject({ validationPassed: false, results: [{ ruleName: 'tests', passed: false }, notRun] })
  work(root)
  const second = await call('iteration_complete', CLAIM)
  expect(second).toMatchObject({
    completed: false,
    validation: { results: [{ passed: true }, { ruleName: 'slow', passed: false }] },
  })
  work(root, 'done, perfect\n')
  expect(await call('iteration_complete', CLAIM)).toMatchObject({ completed: true, proof: { level: 'red-to-green' } })
})

test('MCP-75 a held-out check that fails is a failed validation, and nothing tells what it looks for', async () => {
  const outside = testFolder()
  mkdirSync(join(outside, 'hidden'))
  writeFileSync(join(outside, 'hidden/wanted.txt'), 'perfect\n')
  writeFileSync(join(outside, 'check.sh'), 'echo "HIDDEN WORDS"; grep -qf hidden/wanted.txt work.txt\n')
  const root = projectWith(`${RED}held_out: ${outside}\n`)
  const { call } = toolsIn(root)
  await call('iteration_start', START)
  work(root)
  const early = await call('iteration_validate', { iterationId })
  expect(early).toMatchObject({ validationPassed: true, completionSignal: 'CONTINUE' })
  expect(early.feedback).toEqual([expect.stringContaining('more is checked then')])
  const refused = await call('iteration_complete', CLAIM)
  expect(refused).toMatchObject({ completed: false, validation: { validationPassed: false, completionSignal: 'CONTINUE' } })
  expect(refused.validation.results).toMatchObject([{ passed: true }, { ruleName: 'held-out', passed: false }])
  const again = await call('iteration_validate', { iterationId })
  expect(again).toMatchObject({ validationPassed: false, iterationNumber: 1 })
  expect(again.feedback.join('\n')).toContain('a check that you cannot see fails')
  const next = await call('iteration_next', { iterationId })
  expect(JSON.stringify([refused, again, next])).not.toMatch(/HIDDEN WORDS|wanted\.txt|perfect/)
  work(root, 'done, perfect\n')
  expect(await call('iteration_complete', CLAIM)).toMatchObject({ completed: true, proof: { level: 'red-to-green' } })
  expect(readFileSync(join(outside, `.results/${iterationId}.txt`), 'utf8')).toContain('HIDDEN WORDS')
})
