import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../../../settings/load-config.ts'
import { EXIT } from '../exit-codes.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { askInit } from './init-questions.ts'
import { init } from './init.ts'

let folder = ''
let bin = ''
beforeEach(() => {
  const base = mkdtempSync(join(tmpdir(), 'pawl-init-'))
  folder = join(base, 'project')
  bin = join(base, 'bin')
  mkdirSync(folder)
  mkdirSync(bin)
  vi.stubEnv('PATH', bin)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

function install(name: string): void {
  writeFileSync(join(bin, name), '#!/bin/sh\nexit 0\n')
  chmodSync(join(bin, name), 0o755)
}

function installScript(name: string, text: string): void {
  install(name)
  writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

const PACKAGE = JSON.stringify({ scripts: { test: 'node --test' } })

test('INIT-7 writes what it found, says so, and names the next command', async () => {
  write('package.json', PACKAGE)
  for (const name of ['npm', 'claude', 'codex']) install(name)
  const context = collectingContext(folder)
  expect(await init(context)).toBe(EXIT.done)
  expect(context.said).toEqual([
    `Wrote ${join(folder, 'pawl.yaml')}:`,
    '  check  tests: npm test (from package.json)',
    '  agent  claude (also here: codex, tinker)',
    '',
    'Next: pawl task "what should be true in the end"',
  ])
  const config = await loadConfig(join(folder, 'pawl.yaml'))
  expect(config).toEqual({
    agent: 'claude',
    agents: {},
    checks: [{ name: 'tests', command: ['npm', 'test'], timeoutMs: 600_000 }],
  })
  expect(readdirSync(folder).toSorted()).toEqual(['package.json', 'pawl.yaml'])
})

test('INIT-8 if nothing is found it says what to fill in, and the file still loads', async () => {
  const context = collectingContext(folder)
  expect(await init(context)).toBe(EXIT.done)
  const said = context.said.join('\n')
  expect(said).toContain('check  none found: write the command that tests your work under `checks` in pawl.yaml')
  expect(said).toContain('agent  tinker, which comes with Pawl')
  expect(said).toContain('Next: pawl task "what should be true in the end" --check "npm test"')
  expect(await loadConfig(join(folder, 'pawl.yaml'))).toEqual({ agent: 'tinker', agents: {}, checks: [] })
})

test('INIT-8 PROJ-4 a test command that does not start is no check, and why is said', async () => {
  write('Cargo.toml', '')
  const context = collectingContext(folder)
  await init(context)
  const said = context.said.join('\n')
  expect(said).toMatch(/check {2}left out: cargo test \(from Cargo\.toml\) doesn't start: cargo: .*not found/)
  expect(said).toContain('Install what it needs, then: pawl init --force')
  expect((await loadConfig(join(folder, 'pawl.yaml')))?.checks).toEqual([])
})

test('PROJ-4 where pytest cannot import the package, python -m pytest is proposed', async () => {
  write('pytest.ini', '')
  installScript('pytest', 'echo "E   ModuleNotFoundError: No module named \'shop\'"; exit 2')
  installScript('python3', 'test "$1 $2 $4" = "-m pytest --collect-only" || exit 3; echo "1 test collected"')
  await init(collectingContext(folder))
  expect((await loadConfig(join(folder, 'pawl.yaml')))?.checks).toMatchObject([{ command: ['python3', '-m', 'pytest', '-q'] }])
})

test('INIT-23 a trial of pytest leaves no compiled files or caches behind', async () => {
  write('pytest.ini', '')
  installScript('pytest', 'test "$PYTHONDONTWRITEBYTECODE$4" = 1no:cacheprovider || echo cached > cache')
  await init(collectingContext(folder))
  expect((await loadConfig(join(folder, 'pawl.yaml')))?.checks).toMatchObject([{ command: ['pytest', '-q'] }])
  expect(existsSync(join(folder, 'cache'))).toBe(false)
})

test("CLI-461 where pytest is missing and the tests are unittest's, unittest is chosen", async () => {
  write('test_a.py', 'import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n')
  install('python3')
  const without = collectingContext(folder)
  await init(without)
  expect(without.said[1]).toBe('  check  tests: python3 -m unittest (from the test files)')
  install('pytest')
  const withIt = collectingContext(folder)
  await init(withIt, { force: true })
  expect(withIt.said[1]).toBe('  check  tests: pytest -q (from the test files)')
})

test('INIT-9 another pawl.yaml is never touched without --force, and then kept', async () => {
  write('pawl.yaml', 'agent: codex\n')
  const refused = collectingContext(folder)
  expect(await init(refused)).toBe(EXIT.usage)
  expect(refused.said[0]).toContain('was left as it is. `pawl init --force` replaces it')
  expect(readFileSync(join(folder, 'pawl.yaml'), 'utf8')).toBe('agent: codex\n')
  const forced = collectingContext(folder)
  expect(await init(forced, { force: true })).toBe(EXIT.done)
  expect(forced.said[0]).toBe(`Wrote ${join(folder, 'pawl.yaml')} (the old one is pawl.yaml.bak):`)
  expect(readFileSync(join(folder, 'pawl.yaml.bak'), 'utf8')).toBe('agent: codex\n')
  expect(await init(collectingContext(folder))).toBe(EXIT.done)
  expect(readdirSync(folder).toSorted()).toEqual(['pawl.yaml', 'pawl.yaml.bak'])
})

test('INIT-22 it proposes `prepare` and `cwd`, as a file that Pawl reads', async () => {
  mkdirSync(join(folder, 'web'))
  install('npm')
  write('web/package.json', PACKAGE)
  write('web/package-lock.json', '{}')
  const context = collectingContext(folder)
  expect(await init(context)).toBe(EXIT.done)
  const config = await loadConfig(join(folder, 'pawl.yaml'))
  expect(config?.checks).toMatchObject([{ name: 'tests', command: ['npm', 'test'], cwd: 'web' }])
  expect(config?.prepare).toEqual([{ command: 'npm ci', unless: 'node_modules', cwd: 'web' }])
  expect(context.said.join('\n')).toContain('prepare  npm ci unless node_modules is there (from web/package-lock.json)')
})

test('INIT-10 --json is one document of the same shape, whether written or not', async () => {
  write('package.json', PACKAGE)
  write('package-lock.json', '{}')
  for (const name of ['npm', 'gemini']) install(name)
  const path = join(folder, 'pawl.yaml')
  const written = collectingContext(folder, true)
  expect(await init(written)).toBe(EXIT.done)
  const found = {
    path,
    agent: 'gemini',
    checks: [{ name: 'tests', command: 'npm test' }],
    prepare: [{ command: 'npm ci', unless: 'node_modules' }],
    agents: [{ name: 'gemini', path: join(bin, 'gemini') }, { name: 'tinker' }],
  }
  expect(written.documents).toEqual([{ written: true, ...found }])
  expect(written.said).toEqual([])
  write('pawl.yaml', '# mine\n')
  const kept = collectingContext(folder, true)
  expect(await init(kept)).toBe(EXIT.usage)
  expect(kept.documents).toEqual([{ written: false, ...found }])
  const forced = collectingContext(folder, true)
  expect(await init(forced, { force: true })).toBe(EXIT.done)
  expect(forced.documents).toEqual([{ written: true, ...found, backup: `${path}.bak` }])
})

/** Answers each question as soon as it is on the screen. */
function person(...keys: readonly string[]) {
  const input = new PassThrough()
  const output = new PassThrough()
  const left = [...keys]
  let seen = ''
  output.on('data', (chunk: Buffer) => {
    seen += chunk.toString()
    if (!/Which (agent|command)/.test(seen)) return
    seen = ''
    const next = left.shift()
    if (next !== undefined) setImmediate(() => input.write(next))
  })
  return { input, output }
}

const AGENTS = [{ name: 'claude', path: '/bin/claude' }, { name: 'tinker' }]

test('INIT-11 on a terminal it asks only what it could not find out', async () => {
  const found = { agent: 'claude', checks: [{ name: 'tests', command: 'npm test' }] }
  expect(await askInit(found, AGENTS.slice(0, 1), person())).toEqual(found)
  expect(await askInit(found, AGENTS, person('\u001B[B\r', '\r'))).toEqual({ ...found, agent: 'tinker' })
})

test('INIT-11 a test command that is typed in becomes the check; an empty one leaves it open', async () => {
  const found = { agent: 'claude', checks: [] }
  const one = AGENTS.slice(0, 1)
  expect(await askInit(found, one, person('make test\r'))).toEqual({
    agent: 'claude',
    checks: [{ name: 'tests', command: 'make test' }],
  })
  expect(await askInit(found, one, person('\r'))).toEqual(found)
  expect(await askInit(found, one, person('a "b\r', '"\r'))).toEqual({
    agent: 'claude',
    checks: [{ name: 'tests', command: 'a "b"' }],
  })
})

test('INIT-11 Ctrl-C gives up', async () => {
  expect(await askInit({ agent: 'claude', checks: [] }, AGENTS, person('\u0003'))).toBeUndefined()
})
