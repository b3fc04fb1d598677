import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ResearchFlags } from '../research-config.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { exportRun } from './export.ts'
import { ls } from './ls.ts'
import { research } from './research.ts'
import { resume } from './resume.ts'
import { stats } from './stats.ts'

let root = ''

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-research-files-')))
  file(
    'src/login.ts',
    "import { hash } from './hash.ts'\n\nexport function loginUser(name: string): string {\n  return hash(name)\n}\n",
  )
  file('src/hash.ts', 'export function hash(text: string): string {\n  return text.toUpperCase()\n}\n')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

function git(...words: readonly string[]): void {
  execFileSync('git', words, { cwd: root, env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' } })
}

function repository(): void {
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first')
}

const QUESTION = 'How does loginUser work?'

async function ask(flags: ResearchFlags = {}, question = QUESTION) {
  const context = collectingContext(root, false)
  const code = await research(context, { id: 'login', ask: false, ...flags }, question)
  return { code, text: context.said.join('\n'), warned: context.warned.join('\n') }
}

test.each(['git', 'plain'])(
  'RESCLI-20 checkpoints among the files (%s) stay, are no agent’s change, and no evidence',
  async (kind) => {
    file('pawl-research.yaml', 'checkpoint_settings:\n  directory: checkpoints\n')
    if (kind === 'git') repository()
    const { code, text, warned } = await ask({ strategy: 'broad', maxIterations: '2' })
    expect(code).toBe(0)
    expect(warned).toBe('')
    expect(readdirSync(join(root, 'checkpoints')).toSorted()).toEqual(['.gitignore', 'login-iter-1.json', 'login-iter-2.json'])
    expect(text).not.toContain('put back')
    const data = collectingContext(root, true)
    await exportRun(data, 'login', { format: 'report-json' })
    expect(data.documents.at(-1)).toMatchObject({ timesPutBack: 0 })
    expect(JSON.stringify(data.documents.at(-1))).not.toContain('checkpoints/')
  },
)

test('RESCLI-21 a folder for checkpoints that holds other files is refused before anything starts; one that cannot be made is a warning', async () => {
  file('pawl-research.yaml', 'checkpoint_settings:\n  directory: src\n')
  await expect(ask()).rejects.toMatchObject({
    code: 'usage.checkpoint-folder',
    message: expect.stringContaining('.pawl/checkpoints'),
  })
  expect(existsSync(join(root, '.pawl'))).toBe(false)
  file('pawl-research.yaml', 'checkpoint_settings:\n  directory: /proc/nope/deeper\n')
  const { code, warned } = await ask({ maxIterations: '1' })
  expect(code).toBe(0)
  expect(warned).toContain("couldn't be written, and the research continues")
})

test('RESCLI-22 checkpoints older than their retention are deleted when research begins, and nothing else', async () => {
  file('pawl-research.yaml', 'checkpoint_settings:\n  directory: .pawl/checkpoints\n  retention_hours: 1\n')
  const old = file('.pawl/checkpoints/gone-iter-1.json', '{}')
  const other = file('.pawl/checkpoints/notes.txt', 'mine')
  file('.pawl/checkpoints/kept-iter-1.json', '{}')
  for (const path of [old, other]) utimesSync(path, 1000, 1000)
  await ask({ maxIterations: '1' })
  expect(readdirSync(join(root, '.pawl/checkpoints')).toSorted()).toEqual(['kept-iter-1.json', 'login-iter-1.json', 'notes.txt'])
})

test('RESCLI-23 a report that is there already, or has no folder, is refused before anything starts', async () => {
  file('answer.md', 'mine')
  await expect(ask({ report: join(root, 'answer.md') })).rejects.toMatchObject({ code: 'usage.file-exists' })
  await expect(ask({ report: join(root, 'no/where.md') })).rejects.toMatchObject({ code: 'usage.no-folder' })
  await expect(ask({ from: file('bad.json', '{"findings": 3}') })).rejects.toMatchObject({ code: 'usage.checkpoint' })
  expect(existsSync(join(root, '.pawl'))).toBe(false)
  const { text } = await ask({ report: join(root, 'answer.md'), force: true, maxIterations: '1' })
  expect(text).toContain('The report on login is in ')
  expect(readFileSync(join(root, 'answer.md'), 'utf8')).toContain('## Answers')
})

test('RESCLI-24 agents that all fail stop the run with code 4; stats counts a partial end apart, ls says how far it came, resume tells the answers', async () => {
  const failing = await ask({ agentCommand: 'false', id: 'none', maxIterations: '1' })
  expect(failing.code).toBe(4)
  expect(failing.text).toContain('No agent ever answered')
  const json = collectingContext(root, true)
  expect(await research(json, { id: 'part', ask: false, maxIterations: '1' }, QUESTION)).toBe(0)
  expect(json.documents.at(-1)).toMatchObject({
    status: 'completed',
    research: { status: 'PARTIAL', findings: expect.any(Number) },
  })
  const context = collectingContext(root, false)
  await stats(context)
  expect(context.said.join('\n')).toMatch(/2 runs.*: 0 succeeded \(0% of those that are over\), 1 partial, 1 stopped/)
  const list = collectingContext(root, false)
  await ls(list, {})
  expect(list.said.join('\n')).toMatch(/part +completed +1 +partial/)
  const again = collectingContext(root, false)
  await resume(again, { ask: false }, 'part')
  expect(again.said.join('\n')).toContain('pawl export part --format report')
})

test('RESCLI-26 continuing from a converged checkpoint converges again: its findings keep their confidence while their places are there', async () => {
  const question = 'Where is loginUser handled and what uses it?'
  file('src/server.ts', "import { loginUser } from './login.ts'\n\nexport const serve = (name: string) => loginUser(name)\n")
  await ask({}, question)
  const context = collectingContext(root, true)
  await exportRun(context, 'login', { format: 'checkpoint' })
  const checkpoint = context.documents.at(-1) as { iteration: number; convergence_status: string }
  expect(checkpoint.convergence_status).toBe('full_convergence')
  const { text } = await ask({ id: 'again', from: file('.pawl/cp.json', JSON.stringify(checkpoint)) }, question)
  const [, last] = /FULL CONVERGENCE in iteration (\d+)/.exec(text) ?? []
  expect(Number(last)).toBeGreaterThan(checkpoint.iteration)
  const data = collectingContext(root, true)
  await exportRun(data, 'again', { format: 'report-json' })
  const { findings } = data.documents.at(-1) as { findings: { confidenceParts: { part: string }[] }[] }
  expect(findings.some(({ confidenceParts }) => confidenceParts[0]?.part === 'imported')).toBe(true)
})

test('RESCLI-28 a missing agent program is reported with the command that gives research another one', async () => {
  const { code, text } = await ask({ agentCommand: './no-such-program-here' })
  expect(code).toBe(7)
  expect(text.replaceAll(/\s+/g, ' ')).toContain('pawl resume login --agent NAME')
  expect(text).not.toContain('--check')
})
