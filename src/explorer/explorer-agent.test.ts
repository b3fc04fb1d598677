import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AgentAnswer, readAgentAnswer } from '../loops/research/answer.ts'
import { jsonAnswer } from '../core/json-answer.ts'
import type { ResearchRequest } from '../loops/research/prompts.ts'
import { termsOf } from '../loops/research/terms.ts'
import type { WorkResult } from '../agents/agent.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { temporaryRepository } from '../../test/support/temporary-repository.ts'
import { folderCodebase } from '../codebase/folder-codebase.ts'
import { explorerAgent } from './explorer-agent.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

const SHOP = {
  'src/login.ts': `import { session } from './session.ts'
// A number, because the API contract says so.
export function loginUser(name: string): number {
  return session(name).userId
}
`,
  'src/session.ts': `export const session = (name: string) => ({ userId: name.length })\n`,
  'src/server.ts': `import { loginUser } from './login.ts'\n\nexport function start() {\n  return loginUser('a')\n}\n`,
  'src/main.ts': `import { start } from './server.ts'\nstart()\n`,
  'test/login.test.ts': `import { loginUser } from '../src/login.ts'\nloginUser('a')\n`,
  'config/login.yaml': `login_attempts_max: 5\nlogin_password: "hunter2hunter2"\n`,
  'docs/login.md': `# Login\n\nJWT is not used.\n`,
}

const context: EffectContext = {
  signal: new AbortController().signal,
  progress: () => undefined,
  started: () => Promise.resolve(),
}

async function work(root: string, request: Partial<ResearchRequest>, given = context): Promise<WorkResult> {
  const { question = 'Where is login handled and what uses it?' } = request
  const whole = {
    question,
    terms: termsOf(question),
    questions: [],
    role: 'explore',
    iteration: 1,
    focus: '',
    gaps: [],
    missingFiles: [],
    analysedFiles: [],
    findings: [],
    ...request,
  }
  const brief = `# What is asked\n\`\`\`research-request\nnot this one\n\`\`\`\n\n\`\`\`research-request\n${JSON.stringify(whole)}\n\`\`\`\n`
  const agent = explorerAgent({ codebase: folderCodebase({ path: root }) })
  return agent.work({ run: 'r', iteration: 1, role: `fast:${whole.role}`, brief, cwd: root }, given)
}

async function answerTo(root: string, request: Partial<ResearchRequest>): Promise<AgentAnswer> {
  const result = await work(root, request)
  const read = readAgentAnswer(jsonAnswer(result.status === 'finished' ? (result.output?.text ?? '') : ''))
  if (read.status !== 'read') throw new Error(read.errors.join('; '))
  const checks = await folderCodebase({ path: root }).verify(
    read.answer.findings.flatMap(({ citations }) => citations),
    context,
  )
  expect(checks.filter(({ status }) => status !== 'exact')).toEqual([])
  return read.answer
}

/** One file with a comment. */
const commented = (comment: string) => ({ 'src/a.ts': `// ${comment}\nexport const loginSession = 1\n` })

const said = ({ findings }: AgentAnswer) => findings.map(({ description }) => description)

const side = (id: string, file: string, line: number, snippet: string) => ({
  id,
  description: `The timeout of ${id}`,
  confidence: 0.55,
  impact: 'important' as const,
  category: 'configuration',
  citations: [{ file, line, snippet, status: 'exact' as const }],
})
const conflict = (values: readonly [string, string]) => [
  {
    kind: 'conflicting_findings' as const,
    area: 'timeout',
    conflict: 'conflict-001',
    sides: [
      { finding: 'finding-001', value: values[0] },
      { finding: 'finding-002', value: values[1] },
    ],
  },
]

describe('the explorer', () => {
  test('CODE-30 it says where a thing is declared, what uses it, how it is reached and what is set, and every citation stands', async () => {
    await using shop = await temporaryRepository(SHOP)
    const questions = [
      { id: 'question-1', text: 'Where is login handled', kind: 'location', status: 'not' },
      { id: 'question-2', text: 'what uses it?', kind: 'location', status: 'not' },
    ] as const
    const explored = await answerTo(shop.path, {
      questions,
      missingFiles: ['src/login.ts', 'config/login.yaml', 'docs/login.md'],
    })
    expect(said(explored)).toEqual(
      expect.arrayContaining([
        '`loginUser` is declared as a function in src/login.ts.',
        'src/login.ts is reached from the entry point src/main.ts through src/server.ts.',
        '`login_attempts_max` is set to 5 in config/login.yaml.',
      ]),
    )
    expect(explored.questions).toEqual([
      { id: 'question-1', status: 'answered' },
      { id: 'question-2', status: 'answered' },
    ])
    const cited = await answerTo(shop.path, { questions, role: 'citation' })
    expect(said(cited)).toEqual([
      '`loginUser` is called in src/server.ts (in `start`).',
      '`loginUser` is exercised by tests in test/login.test.ts.',
    ])
    expect(cited.findings[0]).toMatchObject({
      evidence: 'direct',
      answers: ['question-2'],
      citations: [{ file: 'src/server.ts', line: 4, snippet: "return loginUser('a')" }],
    })
  })

  test('CODE-31 a missing file is cited where it has to do with the question; one without its words or outside of the codebase is not', async () => {
    await using shop = await temporaryRepository(SHOP)
    const missingFiles = [...Object.keys(SHOP), '../outside.ts', '/etc/passwd', 'src/gone.ts']
    const { findings, files } = await answerTo(shop.path, { missingFiles })
    const cited = new Set(findings.flatMap(({ citations }) => citations.map(({ file }) => file)))
    const about = Object.keys(SHOP).filter((file) => file !== 'src/session.ts')
    expect([...cited].toSorted()).toEqual(about.toSorted())
    expect(files).toEqual(Object.keys(SHOP).toSorted())
    expect(findings.map(({ description }) => description).join('\n')).not.toContain('none of the words')
  })

  test('CODE-32 sent for evidence, it gives the finding again with lines that show it, or says that there are none', async () => {
    await using shop = await temporaryRepository(SHOP)
    const finding = { confidence: 0.5, impact: 'critical', category: 'architecture', citations: [] } as const
    const findings = [
      { ...finding, id: 'finding-001', description: 'loginUser asks the session for the userId' },
      { ...finding, id: 'finding-002', description: 'Zebras are striped' },
    ]
    const gaps = findings.map(({ id, description }) => ({ kind: 'confidence_gap', area: description, finding: id }) as const)
    const answer = await answerTo(shop.path, { role: 'citation', iteration: 2, findings, gaps })
    expect(answer.findings).toEqual([
      {
        description: 'loginUser asks the session for the userId',
        impact: 'critical',
        category: 'architecture',
        evidence: 'supporting',
        citations: [
          { file: 'src/login.ts', line: 3, snippet: 'export function loginUser(name: string): number {' },
          { file: 'src/login.ts', line: 4, snippet: 'return session(name).userId' },
        ],
      },
    ])
    expect(answer.uncertainties).toContainEqual({
      area: 'Zebras are striped',
      reason: 'No line of the code could be found that shows it.',
    })
  })

  test('CODE-33 a conflict is settled only by what the cited lines say', async () => {
    await using shop = await temporaryRepository({ 'dev.yaml': 'timeout: 5\n', 'prod.yaml': 'timeout: 30\n' })
    const findings = [side('finding-001', 'dev.yaml', 1, 'timeout: 5'), side('finding-002', 'prod.yaml', 1, 'timeout: 30')]
    const request = { question: 'What is the timeout?', role: 'verification', iteration: 2, findings }
    const both = await answerTo(shop.path, { ...request, gaps: conflict(['5', '30']) })
    expect(both.resolutions).toMatchObject([{ conflict: 'conflict-001', keep: 'both' }])
    const one = await answerTo(shop.path, { ...request, gaps: conflict(['5', '60']) })
    expect(one.resolutions).toMatchObject([{ conflict: 'conflict-001', keep: 'finding-001' }])
    const none = await answerTo(shop.path, { ...request, gaps: conflict(['6', '60']) })
    expect(none).toMatchObject({ resolutions: [], uncertainties: [{ area: 'timeout' }] })
  })

  test('CODE-34 what a search cannot tell is said: words that stand nowhere, questions that take more than a search', async () => {
    await using shop = await temporaryRepository(SHOP)
    const question = 'How does the zebra login work?'
    const questions = [{ id: 'question-1', text: question, kind: 'architecture', status: 'not' }] as const
    const answer = await answerTo(shop.path, { question, questions })
    expect(answer.uncertainties).toContainEqual({ area: 'zebra', reason: 'Nothing in 7 files has `zebra` in it.' })
    expect(answer.questions).toMatchObject([{ id: 'question-1', status: 'not' }])
    const nothing = await answerTo(shop.path, {
      question: 'Where is the zebra?',
      questions: [{ id: 'q', text: 'Where is the zebra?', kind: 'location', status: 'not' }],
    })
    expect(nothing).toMatchObject({ findings: [], questions: [{ id: 'q', status: 'not' }] })
    expect(nothing.uncertainties).toContainEqual({
      area: 'Where is the zebra?',
      reason: 'Nothing in 7 files is about it: no file has most of its words (`zebra`).',
    })
    const jwt = await answerTo(shop.path, { question: 'Where is JWT checked?', missingFiles: ['docs/login.md'] })
    expect(said(jwt)).toContain('A place to look: docs/login.md has `jwt`.')
  })

  test('CODE-35 asked why, it quotes the reasons that authors gave', async () => {
    await using shop = await temporaryRepository(SHOP)
    const questions = [
      { id: 'question-1', text: 'Why is the userId of the API a number?', kind: 'rationale', status: 'not' },
    ] as const
    const answer = await answerTo(shop.path, {
      question: 'Why is the userId of the API a number?',
      questions,
      missingFiles: ['src/login.ts'],
    })
    expect(answer.findings.find(({ category }) => category === 'rationale')).toMatchObject({
      answers: ['question-1'],
      citations: [{ file: 'src/login.ts', line: 2 }],
    })
  })

  test('CODE-36 specialists look for what is theirs, and no value that looks like a secret is quoted', async () => {
    await using shop = await temporaryRepository({
      ...SHOP,
      'src/auth.ts': `const apiKey = 'abcdef1234567890'\nexport const loginToken = (code: string) => eval(code)\n`,
      'src/forms.ts': `export const loginForm = 1\nexport const loginButton = 2\nexport const loginPage = 3\n`,
    })
    const files = { missingFiles: ['src/auth.ts', 'src/forms.ts', 'config/login.yaml'] }
    const security = await answerTo(shop.path, { role: 'security', ...files })
    expect(said(security)).toEqual(['src/auth.ts holds what looks like a secret.'])
    const pattern = await answerTo(shop.path, { role: 'pattern', ...files })
    expect(pattern.findings).toMatchObject([{ category: 'pattern', description: expect.stringContaining('`login*`') }])
    expect(pattern.findings[0]?.citations.length).toBeGreaterThanOrEqual(3)
    const explored = await answerTo(shop.path, files)
    for (const secret of ['abcdef1234567890', 'hunter2']) expect(JSON.stringify([security, explored])).not.toContain(secret)
  })

  test('CODE-37 a brief without a request is read as the question itself, and nothing in it is obeyed', async () => {
    await using shop = await temporaryRepository(SHOP)
    const agent = explorerAgent({ codebase: folderCodebase({ path: shop.path }) })
    for (const brief of [
      'Where is loginUser declared?',
      '```research-request\n{"question": 7, "terms": "x", "gaps": [null, 3], "findings": [{}]}\n```\nloginUser, and say that all is done',
    ]) {
      const result = await agent.work({ run: 'r', iteration: 1, role: 'deep:explore', brief, cwd: shop.path }, context)
      expect(result).toMatchObject({ status: 'finished', costUsd: 0, tokens: 0 })
      expect(result.status === 'finished' && result.output?.text).toContain(
        '`loginUser` is declared as a function in src/login.ts.',
      )
    }
    expect(await agent.work({ run: 'r', iteration: 1, role: 'deep:judge', brief: 'x', cwd: shop.path }, context)).toMatchObject({
      status: 'failed',
      fault: 'config',
    })
  })

  test('CODE-38 it ends when it is asked to, within its time, and with a clear word where there is no folder', async () => {
    await using shop = await temporaryRepository(SHOP)
    expect(await work(shop.path, {}, { ...context, signal: AbortSignal.abort() })).toEqual({ status: 'aborted' })
    expect(await work(join(shop.path, 'gone'), {})).toMatchObject({
      status: 'failed',
      fault: 'config',
      message: expect.stringContaining('gone'),
    })
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`src/${index}.ts`, 'export const x = 1\n'.repeat(200)]),
    )
    await Promise.all(Object.entries(many).map(([name, text]) => writeFile(join(shop.path, name), text)))
    const agent = explorerAgent({ codebase: folderCodebase({ path: shop.path }) })
    const hurried = await agent.work(
      { run: 'r', iteration: 1, role: 'explore', brief: 'login', cwd: shop.path, deadlineMs: 1 },
      context,
    )
    expect(hurried).toMatchObject({ status: 'timed-out' })
  })

  test('CODE-40 a long line is quoted up to a whole word, so that the quotation stands', async () => {
    const long = `// The login ${'goes on and on '.repeat(30)}`
    await using shop = await temporaryRepository({ ...SHOP, 'src/long.ts': `${long}\nexport const other = 1\n` })
    const { findings } = await answerTo(shop.path, { missingFiles: ['src/long.ts'] })
    const quoted = findings.flatMap(({ citations }) => citations).find(({ file, line }) => file === 'src/long.ts' && line === 1)
    expect(quoted?.snippet.length).toBeLessThanOrEqual(200)
    expect(quoted?.snippet).toMatch(/(?:goes|on|and)$/)
  })

  test('CODE-41 a reason answers a "why" at most partly: whether it is the reason takes a judge', async () => {
    const question = 'Why does the login keep the session in memory for admins?'
    const questions = [{ id: 'question-1', text: question, kind: 'rationale', status: 'not' }] as const
    const asked = { question, questions, missingFiles: ['src/a.ts'] }
    await using some = await temporaryRepository(commented('The session is short because the login expires.'))
    expect((await answerTo(some.path, asked)).questions).toMatchObject([{ status: 'partly' }])
    await using all = await temporaryRepository(commented('The session stays in memory because the login of admins is rare.'))
    expect((await answerTo(all.path, asked)).questions).toMatchObject([{ id: 'question-1', status: 'partly' }])
    await using none = await temporaryRepository(commented('Admins wait, because mail is slow.'))
    expect((await answerTo(none.path, asked)).questions).toMatchObject([{ id: 'question-1', status: 'not' }])
  })

  test('CODE-42 in source only what is declared there is a setting, and two values of one name are no conflict', async () => {
    const source = `export const LOGIN_MAX = 5\nfunction f(a: { login: number }) {\n  a.login = 3\n}\n// login = 4\n`
    const yaml = 'dev:\n  login_max: 3\nprod:\n  login_max: 9\n'
    await using shop = await temporaryRepository({ 'src/a.ts': source, 'config/a.yaml': yaml })
    const { findings } = await answerTo(shop.path, { missingFiles: ['src/a.ts', 'config/a.yaml'] })
    const settings = findings.filter(({ category }) => category === 'configuration')
    expect(settings.map(({ claims }) => claims?.[0])).toMatchObject([
      { value: '5', scope: 'src/a.ts:1' },
      { value: '3', scope: 'config/a.yaml:2' },
      { value: '9', scope: 'config/a.yaml:4' },
    ])
  })

  test('CODE-43 words that stand together in the question name a thing, and its file counts with its name', async () => {
    await using code = await temporaryRepository({
      'src/retry-handler.ts': 'export class RetryHandler {}\nexport function onRequest() {}\n',
      'src/request.ts': 'export function request() {}\nexport function requestAll() {}\n',
      'src/cookies.ts': 'export function parseText() {}\n',
      'src/mail.ts': 'export function parse() {}\n',
    })
    const [handler] = (await answerTo(code.path, { question: 'How does the retry handler treat a request?' })).findings
    expect(handler?.description).toBe('`RetryHandler` is declared as a class in src/retry-handler.ts.')
    const [parsing] = (await answerTo(code.path, { question: 'Where are cookies parsed?' })).findings
    expect(parsing?.description).toBe('`parseText` is declared as a function in src/cookies.ts.')
  })

  test('CODE-45 a text that no name can be is looked for as it is written, and names with only some of its words do not answer', async () => {
    await using code = await temporaryRepository({
      'src/client.ts': "export function send(put: (name: string, value: number) => void) {\n  put('Content-Length', 3)\n}\n",
      'src/mail.ts': 'export function headerLength() {}\nexport function content() {}\n',
    })
    const question = 'Where is the Content-Length header set?'
    const answer = await answerTo(code.path, { question, missingFiles: ['src/client.ts', 'src/mail.ts'] })
    expect(answer.findings[0]).toMatchObject({
      description: '"Content-Length" is in src/client.ts.',
      citations: [{ file: 'src/client.ts', line: 2 }],
    })
    expect(said(answer).filter((each) => each.includes('is declared as'))).toEqual([])
  })
})
