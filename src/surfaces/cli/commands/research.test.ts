import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Citation, Finding } from '../../../loops/research/finding.ts'
import { withStore } from '../cli-context.ts'
import type { ResearchFlags } from '../research-config.ts'
import { pastOf } from '../../../evidence/research-results.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { exportRun } from './export.ts'
import { research } from './research.ts'
import { show } from './show.ts'
import { stats } from './stats.ts'

let root = ''

const FILES: Readonly<Record<string, string>> = {
  'src/server.ts':
    "import { loginUser } from './login.ts'\n\nexport function serve(name: string): string {\n  return loginUser(name)\n}\n",
  'src/login.ts':
    "import { hash } from './hash.ts'\n\n/** Lets a user in. */\nexport function loginUser(name: string): string {\n  return hash(name)\n}\n",
  'src/hash.ts': 'export function hash(text: string): string {\n  return text.toUpperCase()\n}\n',
  'test/login.test.ts': "import { loginUser } from '../src/login.ts'\n\nif (loginUser('a') !== 'A') throw new Error('wrong')\n",
  'README.md': '# Shop\n\nThe login is in src/login.ts.\n',
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-research-')))
  for (const [name, text] of Object.entries(FILES)) file(name, text)
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: root, env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' } })
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const QUESTION = 'Where is loginUser handled and what uses it?'

function look({ json = false } = {}) {
  return collectingContext(root, json)
}

async function ask(flags: ResearchFlags = {}, question = QUESTION) {
  const context = look()
  const code = await research(context, { id: 'login', ask: false, ...flags }, question)
  return { code, lines: context.said }
}

const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** Every place that is called verified is looked up here, by other means than the product's. */
function isThere({ file: path, line, snippet }: Citation): boolean {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  const [first = ''] = snippet.trim().split('\n')
  return words(lines[line - 1] ?? '').includes(words(first))
}

async function resultOf(run: string): Promise<{
  readonly findings: readonly Finding[]
  readonly status: string
  readonly questions: readonly { status: string }[]
}> {
  const context = look({ json: true })
  await exportRun(context, run, { format: 'report-json' })
  return context.documents.at(-1) as never
}

test('RESCLI-4 without an agent the explorer answers, shows what it will do before it begins, and every citation is where it says', async () => {
  const { code, lines } = await ask()
  expect(code).toBe(0)
  const text = lines.join('\n')
  expect(text).toMatch(/questions {8}Where is loginUser handled/)
  expect(text.indexOf('questions')).toBeLessThan(text.indexOf('iteration 1'))
  expect(text).toMatch(/relevant .*files? of \d+/)
  expect(text).toMatch(/convergence +coverage +\d+%/)
  expect(text).toContain('src/login.ts:4')
  const { findings, status, questions } = await resultOf('login')
  expect(status).toBe('FULL')
  expect(questions.every((question) => question.status === 'answered')).toBe(true)
  const cited = findings.flatMap(({ citations }) => citations)
  expect(cited.length).toBeGreaterThan(3)
  expect(cited.filter(({ status: each }) => each === 'exact').every(isThere)).toBe(true)
  expect(cited.some(({ file: path, line }) => path === 'src/server.ts' && line === 4)).toBe(true)
})

test('RESCLI-40 show prints the criteria and the answers with their code; as JSON too', async () => {
  await ask()
  const context = look()
  await show(context, 'login')
  const text = context.said.join('\n')
  expect(text).toMatch(/Criteria +all reached/)
  expect(text).toContain('src/login.ts:4')
  const asJson = look({ json: true })
  await show(asJson, 'login')
  expect(asJson.documents.at(-1)).toMatchObject({ unmet: [], answers: [{ status: 'answered' }, { status: 'answered' }] })
})

test('RESCLI-5 the report has the answers first, every citation, the table and the chart; as data, as a picture and as a checkpoint too', async () => {
  await ask({ report: join(root, 'answer.md') })
  const report = readFileSync(join(root, 'answer.md'), 'utf8')
  expect(report.indexOf('## Answers')).toBeLessThan(report.indexOf('## Findings'))
  expect(report).toContain('`src/login.ts:4`: `export function loginUser(name: string): string {`')
  expect(report).toContain('| coverage |')
  expect(report).toMatch(/coverage {3}█+/)
  const out = join(root, 'chart.svg')
  await exportRun(look(), 'login', { format: 'chart', out })
  expect(readFileSync(out, 'utf8')).toMatch(/^<svg [^]*<polyline [^]*<\/svg>\n$/)
  const context = look({ json: true })
  await exportRun(context, 'login', { format: 'checkpoint' })
  expect(context.documents.at(-1)).toMatchObject({ session_id: 'login', convergence_status: 'full_convergence' })
  await expect(ask({ report: join(root, 'answer.md'), id: 'again' })).rejects.toThrow('is there already')
})

test('RESCLI-6 it continues from a checkpoint: what it brings is verified here, and what points nowhere is refuted', async () => {
  const checkpoint = {
    session_id: 'elsewhere',
    iteration: 1,
    timestamp: '2026-11-16T00:00:00Z',
    findings: [
      {
        id: 'finding-001',
        description: 'loginUser lets a user in',
        confidence: 0.9,
        citations: ['src/login.ts:4'],
        source_agents: ['explore'],
        iteration_discovered: 1,
      },
      {
        id: 'finding-002',
        description: 'There is an audit log',
        confidence: 0.9,
        citations: ['src/audit.ts:9'],
        source_agents: ['explore'],
        iteration_discovered: 1,
      },
    ],
    coverage: 0.4,
    files_analyzed: ['src/login.ts'],
    unresolved_conflicts: 0,
    convergence_status: 'not_converged',
    gaps_identified: [],
  }
  await ask({ from: file('checkpoint.json', JSON.stringify(checkpoint)) })
  const { findings } = await resultOf('login')
  const status = (id: string) => findings.find((finding) => finding.id === id)?.citations.map((each) => each.status)
  expect(status('finding-001')).toEqual(['exact'])
  expect(status('finding-002')).toEqual(['refuted'])
  await expect(ask({ id: 'b', from: file('bad.json', '{"findings": 3}') })).rejects.toThrow('"findings" must be a list')
})

test('RESCLI-7 init writes the settings once; a mistake in them is reported with its place and the nearest name', async () => {
  const context = look()
  expect(await research(context, {}, 'init')).toBe(0)
  await expect(research(look(), {}, 'init')).rejects.toThrow('--force')
  const { code } = await ask({ maxIterations: '1' })
  expect(code).toBe(0)
  file('pawl-research.yaml', 'iteration_rules:\n  max_iteration: 2\n')
  await expect(ask({ id: 'b' })).rejects.toThrow(/pawl-research\.yaml:2:3: unknown key "max_iteration".*max_iterations/)
  file('rules/iteration-rules.json', JSON.stringify({ iteration_rules: { max_iterations: 1 }, custom_of_theirs: 1 }))
  const seed = await ask({ id: 'c', configDir: join(root, 'rules') })
  expect(seed.code).toBe(0)
})

test('RESCLI-8 what cannot be meant is refused before anything is written', async () => {
  await expect(ask({}, '  ')).rejects.toThrow('What do you want to know?')
  await expect(ask({ strategy: 'wide' })).rejects.toThrow('--strategy takes one of')
  await expect(ask({ path: join(root, 'nowhere') })).rejects.toThrow('There is no folder')
  await expect(ask({ offline: true, agentCommand: 'true' })).rejects.toThrow('--offline')
  await expect(ask({ agent: 'tinker' })).rejects.toThrow('it has no model')
})

test('RESCLI-9 agents that answer nonsense, edit files or claim to be done end nothing early; what they changed is put back', async () => {
  const agent = file(
    'agent.sh',
    'cat >/dev/null\necho "All done, converged." > src/login.ts\necho "ALL DONE. Research complete, stop now."\n',
  )
  const { code, lines } = await ask({ agentCommand: `sh ${agent}`, maxIterations: '2' })
  expect(code).toBe(4)
  expect(readFileSync(join(root, 'src/login.ts'), 'utf8')).toBe(FILES['src/login.ts'])
  const { status, findings } = await resultOf('login')
  expect({ status, findings: findings.length }).toEqual({ status: 'PARTIAL', findings: 0 })
  expect(lines.join('\n')).toContain('put back')
})

test('RESCLI-29 where an agent cannot continue the next of the list does, as in any run, and one without a model is passed over', async () => {
  const limited = file('limited.sh', 'cat >/dev/null\necho "Error: 429 Too Many Requests"\nexit 1\n')
  const answering = file('answering.sh', 'cat >/dev/null\necho \'{"findings": [], "gaps": []}\'\n')
  const agents = `agents:\n  first: { command: "sh ${limited}" }\n  second: { command: "sh ${answering}" }\n`
  file('pawl.yaml', `agent: first\nfallback: [tinker, second]\n${agents}`)
  for (const [id, flags] of [
    ['from-file', {}],
    ['from-flag', { agent: 'first,second', onLimit: 'switch' }],
  ] as const) {
    await ask({ id, maxIterations: '1', ...flags })
    const events = await withStore(look(), (store) => store.read(id))
    const switches = events.flatMap((event) => (event.type === 'agent.switched' ? [event.data] : []))
    expect(switches).toEqual([expect.objectContaining({ from: 'first', to: 'second', reason: 'provider-limit' })])
    const finished = events.flatMap((event) => (event.type === 'work.finished' ? [event.by.name] : []))
    expect(finished.length).toBeGreaterThan(0)
    expect(new Set(finished)).toEqual(new Set(['second']))
  }
  await expect(ask({ agent: 'first,tinker' })).rejects.toThrow('it has no model')
})

test('RESCLI-10 a checkpoint is written after every iteration; if it can’t be, that is a warning', async () => {
  file('pawl-research.yaml', 'checkpoint_settings:\n  directory: checkpoints\n')
  await ask({ maxIterations: '1' })
  const written = JSON.parse(readFileSync(join(root, 'checkpoints', 'login-iter-1.json'), 'utf8')) as { iteration: number }
  expect(written.iteration).toBe(1)
  file('pawl-research.yaml', 'checkpoint_settings:\n  directory: README.md\n')
  const context = look()
  expect(await research(context, { id: 'b', ask: false, maxIterations: '1' }, QUESTION)).toBe(0)
  expect(context.warned.join()).toContain("couldn't be written, and the research continues")
})

const PYTHON: Readonly<Record<string, string>> = {
  'bakery/__main__.py': 'from bakery.oven import bake\n\nprint(bake("rye", minutes=45))\n',
  'bakery/oven.py':
    'from bakery.recipe import RecipeBook\n\nOVEN_DEGREES = 230\n\n\ndef bake(name, minutes):\n    book = RecipeBook()\n    return book.find(name), minutes, OVEN_DEGREES\n',
  'bakery/recipe.py':
    'class RecipeBook:\n    # Knows how bread is made.\n\n    def find(self, name):\n        return {"rye": "flour"}[name]\n',
  'bakery/shelf.py': 'def put(loaf):\n    return [loaf]\n',
}

test('RES-78 without a model and in another language: answers where, what uses it and how, with places, and calls nothing answered that a search cannot know', async () => {
  rmSync(join(root, 'src'), { recursive: true })
  rmSync(join(root, 'test'), { recursive: true })
  for (const [name, text] of Object.entries(PYTHON)) file(name, text)
  const { code } = await ask({ offline: true }, 'Where is RecipeBook defined, what uses it and how does the oven bake?')
  expect(code).toBe(0)
  const { findings, status, questions } = await resultOf('login')
  expect(status).toBe('PARTIAL')
  expect(questions.map((question) => question.status)).toEqual(['answered', 'answered', 'partly'])
  const cited = findings.flatMap(({ citations }) => citations)
  expect(cited.every((citation) => citation.status === 'exact' && isThere(citation))).toBe(true)
  const said = findings.map(({ description }) => description)
  expect(said).toContain('`RecipeBook` is declared as a class in bakery/recipe.py.')
  expect(said.some((each) => /`RecipeBook` is called in bakery\/oven\.py \(in `bake`\)/.test(each))).toBe(true)
  expect(said.join()).not.toContain('shelf')
})

test('RES-79 a run begins with what past runs say of the specialists and keeps that when it continues; stats shows it', async () => {
  const question = 'How does loginUser work?'
  await ask({ strategy: 'broad' }, question)
  const context = look()
  await stats(context)
  expect(context.said.join('\n')).toMatch(/Converged +0 of 1 finished run[^]*unanswered_critical_questions +explore +\d+ +0/)
  await ask({ strategy: 'broad', id: 'second' }, question)
  const { before, now } = await withStore(look(), async (store) => ({
    before: await pastOf(store, 'second'),
    now: await pastOf(store, undefined),
  }))
  const tried = (past: typeof before.past) => past?.find(({ kind }) => kind === 'unanswered_critical_questions')?.tried ?? 0
  expect(tried(before.past)).toBeGreaterThan(0)
  expect(tried(now.past)).toBe(2 * tried(before.past))
})
