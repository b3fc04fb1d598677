import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Fact } from '../../../core/event.ts'
import { currentProcessIdentity, identityOf } from '../../../process/process-identity.ts'
import { resolveProgram } from '../../../process/find-program.ts'
import { openStore } from '../../../registry/open-store.ts'
import { examineNode } from '../doctor/examine-project.ts'
import type { Diagnosis } from '../doctor/examination.ts'
import { EXIT } from '../exit-codes.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { trustFolder } from '../../../settings/user-files.ts'
import { doctor } from './doctor.ts'
import { task } from './task.ts'

const machinePath = process.env['PATH']
let folder = ''
let bin = ''
beforeEach(() => {
  const base = mkdtempSync(join(tmpdir(), 'pawl-doctor-'))
  folder = join(base, 'project')
  bin = join(base, 'bin')
  for (const each of [folder, bin]) mkdirSync(each)
  vi.stubEnv('PATH', bin)
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null')
  vi.stubEnv('XDG_CONFIG_HOME', join(base, 'config'))
  trustFolder(folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

function install(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, name), 0o755)
}

async function installGit(): Promise<string> {
  const git = await resolveProgram('git', '/', machinePath)
  if (git.status !== 'found') throw new Error(git.message)
  symlinkSync(git.path, join(bin, 'git'))
  return git.path
}

async function examine(): Promise<{
  readonly code: number
  readonly items: readonly Diagnosis[]
  item(topic: string): Diagnosis | undefined
}> {
  const context = collectingContext(folder, true)
  const code = await doctor(context)
  const [{ items, ok }] = context.documents as [{ items: readonly Diagnosis[]; ok: boolean }]
  expect(ok).toBe(code === EXIT.done)
  return { code, items, item: (topic) => items.find((each) => each.topic === topic) }
}

test('DOCTOR-1 a bare folder has no problem, and looking at it makes no file', async () => {
  await installGit()
  const { code, items, item } = await examine()
  expect(code).toBe(EXIT.done)
  expect(item('node')).toMatchObject({ status: 'ok', message: process.versions.node })
  expect(item('git')).toMatchObject({ status: 'ok', message: expect.stringMatching(/^\d+\.\d+/) })
  expect(item('folder')).toMatchObject({ status: 'warning', fix: expect.stringContaining('git init') })
  expect(item('store')).toMatchObject({ status: 'absent' })
  expect(item('pawl.yaml')).toMatchObject({ status: 'absent' })
  expect(item('agent claude')).toEqual({
    topic: 'agent claude',
    status: 'absent',
    message: 'not installed',
    fix: 'npm install -g @anthropic-ai/claude-code',
  })
  expect(item('agent tinker')).toMatchObject({ status: 'ok' })
  expect(items.filter(({ status }) => status === 'problem')).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

test('DOCTOR-2 a repository is one, and one that git cannot use is a problem', async () => {
  const git = await installGit()
  execFileSync(git, ['init', '-q', folder], { env: { GIT_CONFIG_GLOBAL: '/dev/null', HOME: folder } })
  expect((await examine()).item('folder')).toMatchObject({ status: 'ok', message: `${folder} is a git repository` })
  rmSync(join(folder, '.git'), { recursive: true })
  writeFileSync(join(folder, '.git'), 'gitdir: /nowhere\n')
  const { code, item } = await examine()
  expect(code).toBe(EXIT.error)
  expect(item('folder')).toMatchObject({ status: 'problem', message: expect.stringContaining('not a git repository') })
})

test('DOCTOR-2 without git a plain folder still works, a repository does not', async () => {
  expect((await examine()).item('git')).toMatchObject({ status: 'warning', message: 'not installed' })
  mkdirSync(join(folder, '.git'))
  expect((await examine()).item('git')?.status).toBe('warning')
  writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  const { code, item } = await examine()
  expect([code, item('git')?.status]).toEqual([EXIT.error, 'problem'])
})

test('DOCTOR-3 an old Node or git is named with what is needed', async () => {
  expect(examineNode('20.11.0')).toMatchObject({ status: 'problem', message: expect.stringContaining('24.15') })
  expect(examineNode('24.14.9').status).toBe('problem')
  expect(examineNode('24.15.0').status).toBe('ok')
  expect(examineNode('26.0.0').status).toBe('ok')
  install('git', 'echo git version 2.20.1')
  expect((await examine()).item('git')).toMatchObject({
    status: 'warning',
    message: '2.20.1 is too old: Pawl needs 2.31 or later',
  })
})

test('DOCTOR-4 a wrong pawl.yaml is a problem with every place named', async () => {
  writeFileSync(join(folder, 'pawl.yaml'), 'max_iteration: 3\nbaseline: maybe\n')
  const context = collectingContext(folder)
  expect(await doctor(context)).toBe(EXIT.error)
  const said = context.said.join('\n')
  expect(said).toMatch(
    /^problem {2}pawl\.yaml +\S*pawl\.yaml:1:1: unknown key "max_iteration"; did you mean "max_iterations"\?$/m,
  )
  expect(said).toMatch(/^ +\S*pawl\.yaml:2:11: "baseline" must be true or false, not the text "maybe"$/m)
  expect(said).toMatch(/^ +fix: correct /m)
  expect(context.said.at(-1)).toMatch(/^1 problem, \d warnings\.$/)
})

test('DOCTOR-5 the programs of checks and of the chosen agent must be there', async () => {
  writeFileSync(
    join(folder, 'pawl.yaml'),
    'agent: mine\nagents: { mine: { command: ./agent --token s3cret }, other: { command: gone } }\nchecks: [{ name: tests, command: make test }, { name: all, command: make && true }]\n',
  )
  const first = await examine()
  expect(first.code).toBe(EXIT.error)
  expect(first.item('check tests')).toMatchObject({ status: 'problem', fix: 'install make, or correct the command in pawl.yaml' })
  expect(first.item('check all')).toMatchObject({ status: 'ok' })
  expect(first.item('agent mine')).toMatchObject({ status: 'problem' })
  expect(first.item('agent other')).toMatchObject({ status: 'warning' })
  expect(JSON.stringify(first.items)).not.toContain('s3cret')
  install('make', 'exit 0')
  writeFileSync(join(folder, 'agent'), '#!/bin/sh\n')
  chmodSync(join(folder, 'agent'), 0o755)
  const second = await examine()
  expect(second.code).toBe(EXIT.done)
  expect(second.item('agent mine')).toMatchObject({ status: 'ok', message: join(folder, 'agent') })
})

test('DOCTOR-5 a preset that pawl.yaml chose must be installed', async () => {
  writeFileSync(join(folder, 'pawl.yaml'), 'agent: codex\n')
  expect((await examine()).item('agent codex')).toMatchObject({ status: 'problem', fix: 'npm install -g @openai/codex' })
})

test('DOCTOR-19 says what is missing of a program that pawl.yaml names, and no package that would not bring it', async () => {
  for (const name of ['qwen', 'codex']) install(name, 'echo 1.2.3')
  const agents = '{ q: { driver: qwen, program: ./bin/qwen-wrapper }, codex: { program: codexx } }'
  writeFileSync(join(folder, 'pawl.yaml'), `agent: q\nagents: ${agents}\n`)
  const first = await examine()
  const wrapper = join(folder, 'bin', 'qwen-wrapper')
  expect([first.code, first.item('agent q')]).toEqual([
    EXIT.error,
    {
      topic: 'agent q',
      status: 'problem',
      message: `${wrapper} doesn't exist; in pawl.yaml it does the work`,
      fix: 'put it there, or correct `program` of q in pawl.yaml, which names it',
      parts: ['does the work'],
    },
  ])
  expect(first.item('agent codex')).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('`codexx` not found on PATH'),
    fix: 'install codexx, or correct `program` of codex in pawl.yaml, which names it',
  })
  mkdirSync(join(folder, 'bin'))
  writeFileSync(wrapper, '#!/bin/sh\nexit 3\n')
  expect((await examine()).item('agent q')).toMatchObject({
    message: expect.stringContaining("isn't an executable file"),
    fix: 'fix that file, or correct `program` of q in pawl.yaml, which names it',
  })
  chmodSync(wrapper, 0o755)
  expect((await examine()).item('agent q')).toMatchObject({ status: 'problem', fix: 'see what it says to --version' })
})

test('DOCTOR-19 an agent that is named by its own program, or by none, comes with its package', async () => {
  writeFileSync(join(folder, 'pawl.yaml'), 'agents: { a: { driver: codex, program: codex }, b: { driver: codex } }\n')
  const { item } = await examine()
  for (const name of ['a', 'b'])
    expect(item(`agent ${name}`)).toMatchObject({
      status: 'absent',
      message: 'not installed',
      fix: 'npm install -g @openai/codex',
    })
})

test('DOCTOR-10 every agent with a review role must exist, and be able to play it', async () => {
  const roles =
    'roles: { planner: codex, first: claude, reviewer: gemini, repairer: mine }\nagents: { mine: { command: gone } }\n'
  writeFileSync(join(folder, 'pawl.yaml'), roles)
  const { code, item } = await examine()
  expect(code).toBe(EXIT.error)
  const parts = { codex: 'the planner', claude: 'the coder first', gemini: 'the reviewer', mine: 'the repairer' }
  for (const [name, part] of Object.entries(parts))
    expect(item(`agent ${name}`)).toMatchObject({
      status: 'problem',
      message: expect.stringContaining(`in pawl.yaml it is ${part} of reviews`),
    })
  writeFileSync(join(folder, 'pawl.yaml'), 'agent: tinker\nroles: { planner: tinker, reviewer: tinker }\n')
  const second = await examine()
  for (const role of ['planner', 'reviewer'])
    expect(second.item(role)).toMatchObject({ status: 'problem', message: `tinker cannot be the ${role}: it has no model` })
  writeFileSync(join(folder, 'pawl.yaml'), 'agent: tinker\nroles: { tester: tinker, committer: tinker }\n')
  expect((await examine()).item('pawl.yaml')).toMatchObject({
    status: 'problem',
    message: expect.stringMatching(/the tester is no agent[^]*the committer is no agent/),
  })
})

test('DOCTOR-9 every agent with a role in pawl.yaml must exist, and be able to play it', async () => {
  writeFileSync(
    join(folder, 'pawl.yaml'),
    'reviewer: codex\nquestioner: mine\nagents: { mine: { command: gone } }\nexperts: { circuit_breaker: gemini, max_iterations: codex }\n',
  )
  const { code, item } = await examine()
  expect(code).toBe(EXIT.error)
  expect(item('agent codex')).toMatchObject({
    status: 'problem',
    message: 'not installed; in pawl.yaml it is the reviewer and is the expert for maxIterations',
  })
  expect(item('agent mine')).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('it puts questions into words'),
  })
  expect(item('agent gemini')).toMatchObject({ status: 'problem' })
  expect(item('agent claude')).toMatchObject({ status: 'absent', message: 'not installed' })
  writeFileSync(join(folder, 'pawl.yaml'), 'agent: tinker\nreviewer: tinker\n')
  expect((await examine()).item('reviewer')).toMatchObject({
    status: 'problem',
    message: 'tinker cannot be the reviewer: it has no model',
  })
  writeFileSync(join(folder, 'pawl.yaml'), 'agent: tinker\nreviewer: person\n')
  expect((await examine()).items.filter(({ status }) => status === 'problem')).toEqual([])
})

test('DOCTOR-6 agents tell their version, and nothing else of what they print or know gets out', async () => {
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-secret')
  install(
    'claude',
    'echo "2.1.325 (Claude Code) key=[$ANTHROPIC_API_KEY]"; echo "$ANTHROPIC_API_KEY" >&2; [ -z "$ANTHROPIC_API_KEY" ]',
  )
  install('gemini', 'echo no number here')
  writeFileSync(join(bin, 'opencode'), 'not executable')
  chmodSync(join(bin, 'opencode'), 0o644)
  const { item, items, code } = await examine()
  expect(code).toBe(EXIT.done)
  expect(item('agent claude')).toMatchObject({ topic: 'agent claude', status: 'ok', message: `2.1.325 (${join(bin, 'claude')})` })
  expect(item('agent gemini')).toMatchObject({ status: 'ok', message: `does not say its version (${join(bin, 'gemini')})` })
  expect(item('agent opencode')).toMatchObject({
    status: 'warning',
    message: expect.stringContaining("isn't an executable file"),
  })
  expect(JSON.stringify(items)).not.toContain('sk-secret')
})

test('DOCTOR-15 an agent that fails or hangs when asked for its version is not right', async () => {
  install('claude', 'echo rubbish; echo 1.2.3; exit 3')
  const { item, code } = await examine()
  expect([code, item('agent claude')]).toEqual([
    EXIT.done,
    {
      topic: 'agent claude',
      status: 'warning',
      message: `${join(bin, 'claude')} exited with 3 when asked for its version`,
      fix: 'see what it says to --version, or npm install -g @anthropic-ai/claude-code',
    },
  ])
  writeFileSync(join(folder, 'pawl.yaml'), 'agent: claude\n')
  const chosen = await examine()
  expect([chosen.code, chosen.item('agent claude')?.status]).toEqual([EXIT.error, 'problem'])
})

test('DOCTOR-16 what is wrong and what the agent is there for are one sentence', async () => {
  writeFileSync(join(folder, 'pawl.yaml'), 'agents: { mine: { command: gone } }\nfallback: [mine]\nagent: tinker\n')
  const { message = '' } = (await examine()).item('agent mine') ?? {}
  expect(message).toMatch(/not found on PATH; in pawl\.yaml it is a fallback$/)
})

test('CLI-460 a script or a file that a check asks for and that is not there is a problem; it is not run', async () => {
  for (const name of ['npm', 'node', 'python3']) install(name, 'echo "$@" >> ran.txt')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { test: 'x', lint: 'y' } }))
  writeFileSync(join(folder, 'run.js'), '')
  const commands = ['npm run tset', 'npm test', 'node rnu.js', 'python3 check.py', 'node run.js', 'npm run build && npm test']
  const yaml = (more: string) =>
    `${more}checks:\n${commands.map((command, index) => `  - { name: c${index}, command: "${command}" }\n`).join('')}`
  writeFileSync(join(folder, 'pawl.yaml'), yaml(''))
  const { code, item } = await examine()
  expect(code).toBe(EXIT.error)
  expect(item('check c0')).toEqual({
    topic: 'check c0',
    status: 'problem',
    message: 'package.json has no script "tset"; did you mean "test"?',
    fix: 'correct the command in pawl.yaml, or make what it runs',
  })
  expect(item('check c2')).toMatchObject({ status: 'problem', message: 'There is no file rnu.js; did you mean run.js?' })
  expect(item('check c3')).toMatchObject({ status: 'problem', message: 'There is no file check.py.' })
  for (const name of ['c1', 'c4', 'c5']) expect(item(`check ${name}`)?.status).toBe('ok')
  expect(readFileSync(join(folder, 'ran.txt'), 'utf8')).toMatch(/^(?:--version\n)+$/)
  writeFileSync(join(folder, 'pawl.yaml'), yaml('baseline: false\n'))
  expect((await examine()).item('check c0')?.status).toBe('warning')
})

const STARTED: Fact = {
  type: 'run.started',
  at: 1,
  by: { role: 'runner' },
  data: {
    config: {
      loop: { name: 'task', v: 1, settings: { goal: 'x' } },
      guards: [],
      agent: { name: 'command', v: 1, settings: {} },
      checks: [],
      workspace: { name: 'folder', v: 1, settings: {} },
    },
  },
}

test('DOCTOR-7 a whole store says how many runs it has; a run whose process died is named with the way on', async () => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore', env: {} })
  await once(child, 'spawn')
  const dead = identityOf(child.pid ?? 0) ?? currentProcessIdentity()
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { project } = collectingContext(folder)
  const store = openStore(project.storePath)
  for (const [run, holder] of [
    ['left', dead],
    ['driven', currentProcessIdentity()],
  ] as const) {
    const claimed = await store.claim(run, holder)
    if (claimed.status === 'claimed') await store.append(run, [STARTED], { claim: claimed.claim, expectedSeq: 0 })
  }
  await store.close()
  const before = readdirSync(join(folder, '.pawl')).toSorted()
  const { item, items, code } = await examine()
  expect(code).toBe(EXIT.done)
  expect(item('store')).toMatchObject({ status: 'ok', message: expect.stringContaining('2 runs') })
  expect(item('run left')).toEqual({
    topic: 'run left',
    status: 'warning',
    message: `its process ${dead.pid} is gone; nothing is lost`,
    fix: '`pawl resume left` continues it',
  })
  expect(items.some(({ topic }) => topic === 'run driven')).toBe(false)
  expect(readdirSync(join(folder, '.pawl')).toSorted()).toEqual(before)
})

test('DOCTOR-8 a damaged store is a problem, one that is no store too', async () => {
  const { project } = collectingContext(folder)
  const store = openStore(project.storePath)
  for (let index = 0; index < 20; index++) await store.putText({ text: `${index}`.repeat(4000), bytesCut: 0 })
  await store.runs()
  await store.close()
  const file = openSync(project.storePath, 'r+')
  const size = statSync(project.storePath).size
  for (let at = 4096; at < size; at += 4096) writeSync(file, Buffer.alloc(64, 0xff), 0, 64, at)
  closeSync(file)
  const damaged = await examine()
  expect([damaged.code, damaged.item('store')?.status]).toEqual([EXIT.error, 'problem'])
  expect(damaged.item('store')?.message).toContain('damaged')
  writeFileSync(project.storePath, 'this is no database, but it is long enough to look like a file of one\n'.repeat(20))
  const other = await examine()
  expect([other.code, other.item('store')?.status]).toEqual([EXIT.error, 'problem'])
})

test('DOCTOR-8 an empty file where the store should be is left as it is', async () => {
  mkdirSync(join(folder, '.pawl'))
  writeFileSync(join(folder, '.pawl', 'pawl.db'), '')
  expect((await examine()).item('store')).toMatchObject({ status: 'absent' })
  expect(statSync(join(folder, '.pawl', 'pawl.db')).size).toBe(0)
  expect(existsSync(join(folder, '.pawl', 'pawl.db-wal'))).toBe(false)
})

test('DOCTOR-11 a log-in is found by what is there, a file or a variable, by name and never by what it holds', async () => {
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME'])
    vi.stubEnv(name, undefined)
  for (const name of ['CODEX_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY']) vi.stubEnv(name, undefined)
  const home = join(folder, '..', 'home')
  mkdirSync(join(home, '.codex'), { recursive: true })
  vi.stubEnv('HOME', home)
  for (const name of ['claude', 'codex', 'gemini']) install(name, 'echo 1.2.3')
  writeFileSync(join(home, '.codex', 'auth.json'), 'token-that-nobody-reads')
  chmodSync(join(home, '.codex', 'auth.json'), 0o000)
  vi.stubEnv('GEMINI_API_KEY', 'key-that-nobody-shows')
  const { items, item } = await examine()
  expect(item('agent claude')?.login).toMatchObject({ status: 'none', how: expect.stringContaining('ANTHROPIC_API_KEY') })
  expect(item('agent codex')?.login).toEqual({ status: 'found', by: join(home, '.codex', 'auth.json') })
  expect(item('agent gemini')?.login).toEqual({ status: 'found', by: 'GEMINI_API_KEY is set' })
  expect(JSON.stringify(items)).not.toMatch(/nobody-(reads|shows)/)
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home, 'elsewhere'))
  mkdirSync(join(home, 'elsewhere'))
  writeFileSync(join(home, 'elsewhere', '.credentials.json'), '')
  expect((await examine()).item('agent claude')?.login).toMatchObject({ status: 'found' })
})

test('DOCTOR-12 says what an agent can do, as data and in words, with its roles in the file', async () => {
  install('claude', 'echo 1.2.3')
  install('codex', 'echo 1.2.3')
  writeFileSync(
    join(folder, 'pawl.yaml'),
    'agent: claude\nfallback: [codex, gemini, ours]\nroles: { planner: mine }\nagents:\n  ours: { acp: "claude --acp" }\n  mine: { base_url: "http://127.0.0.1:1/v1", model: m, prices: { input: 1, output: 2 } }\nchecks: [{ name: t, command: claude }]\n',
  )
  const { item, code } = await examine()
  expect(item('agent claude')).toMatchObject({
    supports: expect.arrayContaining(['resume', 'hooks', 'cost']),
    parts: ['does the work'],
  })
  expect(item('agent codex')?.supports).not.toContain('cost')
  // Both speak ACP only by way of another program.
  for (const name of ['claude', 'codex']) expect(item(`agent ${name}`)?.supports).not.toContain('acp')
  expect(item('agent codex')?.parts).toEqual(['is a fallback'])
  expect(item('agent ours')).toMatchObject({ status: 'ok', supports: ['stream', 'resume', 'acp', 'permissions'] })
  expect(item('agent mine')).toMatchObject({ supports: ['stream', 'tokens', 'cost'], parts: ['is the planner of reviews'] })
  expect(code).toBe(EXIT.error)
  expect(item('agent gemini')).toMatchObject({
    status: 'problem',
    message: 'not installed; in pawl.yaml it is a fallback',
    fix: 'npm install -g @google/gemini-cli',
  })
  const context = collectingContext(folder)
  await doctor(context)
  expect(context.said.join('\n')).toMatch(
    /agent claude +1\.2\.3 .*\n.*log-in: .*\n +has stream, resume, .*\n +in pawl\.yaml it does the work/,
  )
})

test('DOCTOR-14 a model behind an address that nobody answers at is not called right; one that is to be had is, and nothing is said to it', async () => {
  const said: Buffer[] = []
  const server = createServer((socket) => socket.on('data', (bytes) => said.push(bytes)).on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const written = (agent: string) =>
    writeFileSync(join(folder, 'pawl.yaml'), `${agent}agents:\n  mine: { base_url: "http://127.0.0.1:${port}/v1", model: m }\n`)
  written('agent: mine\n')
  expect((await examine()).item('agent mine')).toMatchObject({ status: 'ok', message: expect.stringContaining('not tried') })
  server.close()
  await once(server, 'close')
  const gone = { message: expect.stringContaining('nothing listens there'), fix: expect.stringContaining('base_url') }
  expect((await examine()).item('agent mine')).toMatchObject({ status: 'problem', ...gone })
  written('')
  expect((await examine()).item('agent mine')).toMatchObject({ status: 'warning', ...gone })
  expect(Buffer.concat(said).length).toBe(0)
})

test('DOCTOR-17 shows only host and port of a model’s address, never the secrets in it', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const address = `http://user:s3cr3t@127.0.0.1:${port}/v1/s3cr3t?api_key=s3cr3t`
  writeFileSync(join(folder, 'pawl.yaml'), `agent: mine\nagents:\n  mine: { base_url: "${address}", model: m }\n`)
  expect((await examine()).item('agent mine')?.message).toBe(
    `the model m; somebody answers at 127.0.0.1:${port}, the model was not tried`,
  )
  server.close()
  await once(server, 'close')
  const gone = (await examine()).item('agent mine')
  expect(gone?.message).toContain(`The model m cannot be reached at 127.0.0.1:${port}: nothing listens there`)
  expect(JSON.stringify(gone)).not.toContain('s3cr3t')
})

test.each([
  ['the command of a check', 'checks: [{ name: tests, command: "grep -q doctor-word-1 a.txt" }]', 'checks[0].command'],
  ['the command of its agent', 'agent: mine\nagents: { mine: { command: "echo doctor-word-1" } }', 'agent.command'],
  ['a path', 'protect: [secrets/doctor-word-1]\nchecks: [{ name: tests, command: "true" }]', 'protect[0]'],
])('DOCTOR-18 a secret in %s of pawl.yaml is reported with the error of the run that it prevents', async (_what, text, place) => {
  vi.stubEnv('DOCTOR_TEST_TOKEN', 'doctor-word-1')
  writeFileSync(join(folder, 'pawl.yaml'), `${text}\n`)
  const { code, items, item } = await examine()
  expect(code).toBe(EXIT.error)
  expect(JSON.stringify(items)).not.toContain('doctor-word-1')
  const given = { ...(text.includes('agent:') ? { check: ['true'] } : { agentCommand: 'true' }), ask: false }
  const refused: unknown = await task(collectingContext(folder, true), given, ['x']).catch((error: unknown) => error)
  expect(refused).toMatchObject({
    code: 'run.secret-in-config',
    message: expect.stringContaining(`${place} holds the value of DOCTOR_TEST_TOKEN, which counts as a secret`),
  })
  expect(item('pawl.yaml')).toEqual({ topic: 'pawl.yaml', status: 'problem', message: (refused as Error).message })
})

test('DOCTOR-13 an agent that is only in the packages of the project is not taken for one on the PATH', async () => {
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
  const path = join(folder, 'node_modules', '.bin', 'codex')
  writeFileSync(path, '#!/bin/sh\necho 1.2.3\n')
  chmodSync(path, 0o755)
  expect((await examine()).item('agent codex')).toMatchObject({
    status: 'warning',
    message: expect.stringContaining(path),
    fix: expect.stringContaining(`program: ${path}`),
  })
  writeFileSync(join(folder, 'pawl.yaml'), 'agents: { codex: { program: node_modules/.bin/codex } }\nagent: codex\n')
  expect((await examine()).item('agent codex')).toMatchObject({ status: 'ok', message: `1.2.3 (${path})` })
})

test('DOCTOR-20 it says which files are on the test side, and why', async () => {
  const files = [
    'src/sum.js',
    'test/sum.test.js',
    'test/data/sums.json',
    'checks/api.js',
    'scripts/check.sh',
    'vitest.config.ts',
    'web/run/verify.js',
  ]
  for (const file of files) {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    writeFileSync(join(folder, file), '')
  }
  writeFileSync(
    join(folder, 'pawl.yaml'),
    'tests: [checks]\nchecks: [{ name: all, command: sh scripts/check.sh }, { name: api, command: "true", cwd: packages/api }, { name: web, command: node run/verify.js, cwd: web }]\n',
  )
  const { item } = await examine()
  expect(item('tests')).toEqual({
    topic: 'tests',
    status: 'ok',
    message: '6 files on the test side',
    testSide: [
      { reason: 'script', count: 2, files: ['scripts/check.sh', 'web/run/verify.js'] },
      { reason: 'test', count: 2, files: ['test/data/sums.json', 'test/sum.test.js'] },
      { reason: 'named', count: 1, files: ['checks/api.js'] },
      { reason: 'settings', count: 1, files: ['vitest.config.ts'] },
    ],
  })
  expect(item('check api')).toMatchObject({ status: 'problem', message: 'There is no folder packages/api.' })
  const context = collectingContext(folder)
  await doctor(context)
  expect(context.said.join('\n')).toContain('tests and their data (2): test/data/sums.json, test/sum.test.js')
})

test('DOCTOR-20 no file on the test side is no problem', async () => {
  expect((await examine()).item('tests')).toMatchObject({
    status: 'absent',
    fix: expect.stringContaining('`tests` in pawl.yaml'),
  })
})

test('ENV-9 programs that pawl.yaml names run only in a trusted folder, with the variables that the check gets', async () => {
  const script = 'test -n "$RUSTUP_HOME" && test -n "$MY_TOOLS" && echo 1.95.0 && exit; exit 1'
  install('cargo', script)
  for (const name of ['agent', 'own.sh']) {
    writeFileSync(join(folder, name), '#!/bin/sh\n: > ran.txt\n')
    chmodSync(join(folder, name), 0o755)
  }
  vi.stubEnv('RUSTUP_HOME', '/opt/rustup')
  vi.stubEnv('MY_TOOLS', 'x')
  const yaml = (environment: string) =>
    `agents: { claude: { program: ${join(folder, 'agent')} } }\nchecks:\n  - { name: rust, command: cargo test${environment} }\n  - { name: own, command: ./own.sh }\n`
  writeFileSync(join(folder, 'pawl.yaml'), yaml(', environment: [MY_TOOLS]'))
  trustFolder(folder, false)
  const before = await examine()
  expect(before.item('trust')?.fix).toContain('pawl trust --folder')
  expect(before.item('check rust')).toMatchObject({ status: 'ok', message: join(bin, 'cargo') })
  expect(before.item('agent claude')?.message).toContain('not run')
  expect(readdirSync(folder)).not.toContain('ran.txt')
  trustFolder(folder)
  const after = await examine()
  expect(after.item('trust')).toBeUndefined()
  expect(after.item('check rust')).toMatchObject({ status: 'ok', message: `1.95.0 (${join(bin, 'cargo')})` })
  expect(after.item('check own')?.status).toBe('ok')
  // Only the agent's program was asked; a script of the project may do anything if it is.
  expect(readdirSync(folder).filter((name) => name.endsWith('.txt'))).toEqual(['ran.txt'])
  writeFileSync(join(folder, 'pawl.yaml'), yaml(''))
  expect((await examine()).item('check rust')).toMatchObject({
    status: 'warning',
    message: `${join(bin, 'cargo')} exited with 1 when asked for its version`,
    fix: expect.stringContaining('`environment`'),
  })
})

test('ENV-15 what the settings of a chosen agent lack is a problem', async () => {
  install('codex', 'echo 0.166.0')
  mkdirSync(join(folder, '..', 'codex'))
  writeFileSync(
    join(folder, '..', 'codex', 'config.toml'),
    'model_provider = "mine"\n[model_providers.mine]\nenv_key = "MY_KEY"\n',
  )
  vi.stubEnv('CODEX_HOME', join(folder, '..', 'codex'))
  vi.stubEnv('MY_KEY', 'dummy')
  expect((await examine()).item('agent codex')?.status).toBe('ok')
  writeFileSync(join(folder, 'pawl.yaml'), 'agent: codex\n')
  expect((await examine()).item('agent codex')).toMatchObject({
    status: 'problem',
    fix: 'Write under `agents` in pawl.yaml: codex: { environment: [MY_KEY] }',
  })
  writeFileSync(join(folder, 'pawl.yaml'), 'agent: codex\nagents: { codex: { environment: [MY_KEY] } }\n')
  expect((await examine()).item('agent codex')?.status).toBe('ok')
})
