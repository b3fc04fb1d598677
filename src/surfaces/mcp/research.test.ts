import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startClient, testFolder, toolsIn } from '../../../test/support/mcp-support.ts'

function shop(): string {
  const root = testFolder()
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'src', 'login.js'), 'export function loginUser(name) {\n  return name.toUpperCase()\n}\n')
  writeFileSync(
    join(root, 'src', 'server.js'),
    "import { loginUser } from './login.js'\n\nexport const serve = (name) => loginUser(name)\n",
  )
  return root
}

const finding = (file: string, line: number, snippet: string, description: string) => ({
  description,
  impact: 'critical',
  category: 'location',
  evidence: 'direct',
  citations: [{ file, line, snippet }],
  answers: ['question-1'],
})

const ANSWER = {
  findings: [
    finding('src/login.js', 1, 'export function loginUser(name) {', 'loginUser is declared in src/login.js.'),
    finding('src/server.js', 3, 'export const serve = (name) => loginUser(name)', 'serve calls loginUser.'),
  ],
  questions: [{ id: 'question-1', status: 'answered' }],
}

const QUESTION = 'Where is loginUser handled?'

test('RESMCP-1 a lead agent hands findings in and learns whom to spawn, with the whole prompt, until it has to end', async () => {
  const root = shop()
  const { call } = toolsIn(root)
  const first = await call('research_step', { runId: 'login', question: QUESTION })
  expect(first).toMatchObject({ decision: 'CONTINUE', iteration: 1 })
  expect(first.agents[0]).toMatchObject({ subagent_type: 'Explore', model: 'fast', prompt: expect.stringContaining(QUESTION) })
  const answers = first.agents.map(({ role, key }: { role: string; key: string }) => ({ role, key, answer: ANSWER }))
  const last = await call('research_step', { runId: 'login', answers })
  expect(last).toMatchObject({ decision: 'EXIT', status: 'FULL' })
  expect(
    last.findings.flatMap(({ citations }: { citations: { status: string }[] }) => citations.map(({ status }) => status)),
  ).not.toContain('refuted')
  const { report, status } = await call('research_report', { runId: 'login' })
  expect(status).toBe('FULL')
  expect(report).toContain('`src/login.js:1`')
  expect((await call('research_report', { runId: 'login', format: 'checkpoint' })).result).toMatchObject({ session_id: 'login' })
})

test('RESMCP-2 findings may come first; what does not stand is refuted, and a lead that says it is done does not end it', async () => {
  const { call } = toolsIn(shop())
  const invented = {
    findings: [{ ...finding('src/nowhere.js', 9, 'all done', 'Everything is converged. EXIT.'), confidence: 1 }],
  }
  const answer = await call('research_step', {
    runId: 'login',
    question: QUESTION,
    answers: [{ role: 'lead', answer: invented }],
  })
  expect(answer.decision).toBe('CONTINUE')
  expect(answer.findings[0].citations[0].status).toBe('refuted')
  expect(answer.convergence.status).toBe('not_converged')
})

test('RESMCP-3 mistakes get one sentence, and a failed agent leaves its gap open', async () => {
  const { call } = toolsIn(shop())
  const refused = (name: string, args: Parameters<typeof call>[1]) =>
    call(name, args).then(
      () => 'nothing',
      (error: Error) => error.message,
    )
  expect(await refused('research_step', { runId: 'login' })).toContain('say with question')
  await call('research_step', { runId: 'login', question: QUESTION })
  expect(await refused('research_step', { runId: 'login', question: 'Another?' })).toContain('asks something else')
  expect(await refused('research_step', { runId: 'login', answers: [{ role: 'chef', answer: ANSWER }] })).toContain(
    'it wants explore',
  )
  expect(await refused('research_report', { runId: 'nobody' })).toContain('There is no research nobody')
  const { agents } = await call('research_step', { runId: 'login' })
  const answers = agents.map(({ role, key }: { role: string; key: string }) => ({ role, key, failed: 'out of tokens' }))
  const after = await call('research_step', { runId: 'login', answers })
  expect(after.convergence.agentFailures.length).toBe(answers.length)
})

test('RESMCP-4 a server that is killed between two calls continues', async () => {
  const root = shop()
  const first = await startClient(root)
  const begun = await first.tool('research_step', { runId: 'login', question: QUESTION })
  await first.kill()
  const second = await startClient(root)
  const answers = begun.data.agents.map(({ role, key }: { role: string; key: string }) => ({ role, key, answer: ANSWER }))
  expect((await second.tool('research_step', { runId: 'login', answers })).data).toMatchObject({
    decision: 'EXIT',
    status: 'FULL',
  })
  await second.end()
})

test('RESMCP-10 an answer that is refused is named at once with its errors, and the fixed one is taken under the same role', async () => {
  const { call } = toolsIn(shop())
  const first = await call('research_step', { runId: 'login', question: QUESTION })
  const [one, other] = first.agents as { role: string }[]
  const half = await call('research_step', { runId: 'login', answers: [{ role: other?.role, answer: { findings: 3 } }] })
  expect(half.refused).toEqual([
    { role: other?.role, key: expect.stringContaining('.again'), errors: ['findings must be a list, not 3'] },
  ])
  const answers = [one, other].map((each) => ({ role: each?.role, answer: ANSWER }))
  expect(await call('research_step', { runId: 'login', answers })).toMatchObject({ decision: 'EXIT', status: 'FULL' })
})
