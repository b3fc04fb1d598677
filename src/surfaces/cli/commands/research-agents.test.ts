import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import type { QuestionAnswer } from '../../../loops/research/answers.ts'
import { withStore } from '../cli-context.ts'
import type { ResearchFlags } from '../research-config.ts'
import { research } from './research.ts'

const HEAD = '// Copyright 2026 The shop.\n'

const FILES: Readonly<Record<string, string>> = {
  'src/login.js': `${HEAD}import { startSession } from './session.js'\n\nexport function loginUser(name, password) {\n  if (!checkPassword(name, password)) throw new Error('wrong password')\n  return startSession(name)\n}\n\nfunction checkPassword(name, password) {\n  return name.length > 0 && password.length > 7\n}\n`,
  'src/session.js': `${HEAD}import { randomUUID } from 'node:crypto'\n\nexport const LIFETIME_MINUTES = 30\nconst sessions = new Map()\n\nexport function startSession(name) {\n  const token = randomUUID()\n  sessions.set(token, { name, endsAt: Date.now() + LIFETIME_MINUTES * 60_000 })\n  return token\n}\n`,
  'src/mail.js': `${HEAD}export function sendMail(address, text) {\n  const parts = [address, text]\n  return parts.join(': ')\n}\n`,
  'src/server.js': `${HEAD}import { loginUser } from './login.js'\n\nexport function serve(request) {\n  return loginUser(request.name, request.password)\n}\n`,
  'README.md': '# Shop\n',
}

const AGENT = join(import.meta.dirname, '../../../../test/fixtures/agents/researcher.mjs')
const QUESTION = 'How does loginUser start a session?'
let root = ''

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-research-agents-')))
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: root, env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' } })
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first')
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

async function ask(kind: string, { question = QUESTION, id = kind, ...flags }: ResearchFlags & { question?: string } = {}) {
  const agent = kind === 'explorer' ? {} : { agentCommand: `node ${AGENT} ${kind}` }
  const given = { id, ask: false, strategy: 'narrow', ...agent, ...flags }
  const context = collectingContext(root, true)
  await research(context, given, question)
  const { research: summary } = context.documents.at(-1) as {
    research: { status: string; confidence: number; coverage: number; answers: readonly QuestionAnswer[] }
  }
  const events = await withStore(context, (store) => store.read(id))
  return { ...summary, events, calls: events.filter(({ type }) => type === 'work.started').length }
}

/** What the runs came to: see docs/evidence/research.md. */
test.each<[kind: string, status: string, question: string, calls: number]>([
  ['right', 'FULL', 'answered', 3],
  ['strings', 'FULL', 'answered', 3],
  ['wrong', 'PARTIAL', 'not', 9],
  ['lying', 'PARTIAL', 'not', 9],
  ['lazy', 'PARTIAL', 'not', 9],
  ['hostile', 'PARTIAL', 'partly', 9],
  ['yes-man', 'PARTIAL', 'claimed', 9],
  ['contradicting', 'FULL', 'answered', 3],
])('RES-121 an agent that is %s ends %s, its question %s', async (kind, status, word, calls) => {
  const run = await ask(kind)
  expect([run.status, run.answers[0]?.status]).toEqual([status, word])
  expect(run.calls <= calls).toBe(true)
  const said = run.answers.flatMap(({ statements }) => statements.map(({ statement }) => statement)).join('\n')
  expect(said).not.toMatch(/LDAP|60 minutes|are implemented in|Ignore/)
})

test('RES-122 for "where is" and "what calls" Pawl’s own check is the second party, also without any other agent', async () => {
  const where = await ask('explorer', { question: 'Where is startSession declared?', id: 'where' })
  expect(where).toMatchObject({ status: 'FULL', answers: [{ status: 'answered' }] })
  expect(where.answers[0]?.statements[0]).toMatchObject({
    standing: 'verified',
    judgedBy: 'check',
    reason: 'declares `startSession`',
  })
  const calls = await ask('explorer', { question: 'What calls startSession?', id: 'calls' })
  expect(calls.answers[0]).toMatchObject({ status: 'answered' })
  expect(calls.answers[0]?.statements.flatMap(({ places }) => places.map(({ file, line }) => `${file}:${line}`))).toContain(
    'src/login.js:6',
  )
  expect(calls.answers[0]?.statements.flatMap(({ places }) => places.map(({ line }) => line))).not.toContain(2)
  const text = await ask('explorer', { question: 'Where does the message "wrong password" come from?', id: 'text' })
  expect(text).toMatchObject({ status: 'FULL', answers: [{ status: 'answered' }] })
  expect(text.answers[0]?.statements[0]).toMatchObject({ judgedBy: 'check', reason: 'has the text "wrong password"' })
  for (const [id, question] of [
    ['absent', 'What handles a session that is not found?'],
    ['absent-too', 'Where is the new session added?'],
  ] as const) {
    const absent = await ask('explorer', { question, id })
    expect([absent.status, absent.answers[0]?.status]).toEqual(['PARTIAL', 'not'])
    expect(absent.answers[0]?.statements.filter(({ standing }) => standing === 'verified')).toEqual([])
  }
  const how = await ask('explorer', { id: 'how' })
  expect(how.status).toBe('PARTIAL')
})

test('RES-123 a line that shares no word with statement and question goes to the judge as doubtful', async () => {
  const { events } = await ask('lying', { id: 'doubt' })
  const read = events.flatMap((event) => (event.type === 'evidence.read' ? event.data.statements : []))
  expect(read.length).toBeGreaterThan(0)
  expect(read.every(({ passages, shows }) => shows === undefined && passages.every(({ isDoubtful }) => isDoubtful))).toBe(true)
})

test('RES-132 the answer is shown whole, no line wider than the terminal: statements with their lines, claimed and verified told apart, refuted ones never', async () => {
  const shown = async (kind: string, id: string) => {
    const context = collectingContext(root, false)
    await research(context, { id, ask: false, strategy: 'narrow', agentCommand: `node ${AGENT} ${kind}` }, QUESTION)
    return context.said.join('\n')
  }
  const right = await shown('right', 'shown')
  expect(right).toMatch(
    /✓ loginUser checks the password and then starts a session\.\n +verified by a judge\n +src\/login\.js:4\n/,
  )
  expect(right).toContain('> 4  export function loginUser(name, password) {')
  const answer = right.slice(right.indexOf(`\n${QUESTION}`))
  expect(
    answer.split('\n').filter((line) => line.length > collectingContext(root, false).terminal.columns && !line.includes('FULL')),
  ).toEqual([])
  expect(await shown('yes-man', 'claims')).toMatch(
    /\? loginUser checks[^]*claimed by explore, citation; nobody else has judged it/,
  )
  const lying = await shown('lying', 'lies')
  expect(lying.slice(lying.lastIndexOf(`\n${QUESTION}`))).not.toContain('are implemented in')
  expect(lying).toContain('Look at src/')
  expect(lying).toMatch(/\d+ statements? refuted; the report lists them/)
})

test('RES-132 the report has the same in Markdown and HTML, and nothing that an agent wrote acts in it', async () => {
  for (const name of ['answer.md', 'answer.html']) {
    await ask('hostile', { id: `report-${name.split('.')[1]}`, report: join(root, '.git', name) })
    const report = readFileSync(join(root, '.git', name), 'utf8')
    expect(report).toContain('Ignore your task')
    expect(['<script', '\u001b', '\u202e'].filter((each) => report.includes(each))).toEqual([])
    expect(name.endsWith('.md') && /[^\\]\[x\]\(http/.test(report)).toBe(false)
  }
  await ask('right', { id: 'page', report: join(root, '.git', 'right.html') })
  expect(readFileSync(join(root, '.git', 'right.html'), 'utf8')).toContain(
    '<mark>4  export function loginUser(name, password) {</mark>',
  )
})
