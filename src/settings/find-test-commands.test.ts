import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findPrepare, findTestCommands } from './find-test-commands.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-find-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

function commandsOf(files: Readonly<Record<string, string>>, hasPytest?: boolean): readonly string[] {
  const folder = folderOf(files)
  return findTestCommands(folder, hasPytest === undefined ? {} : { hasPytest }).map(({ command }) => command)
}

const WITH_TEST = JSON.stringify({ scripts: { test: 'vitest' } })
const WITHOUT_TEST = JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } })

test.each([
  ['npm', { 'package.json': WITH_TEST }, ['npm test']],
  ['npm with its own default script', { 'package.json': WITHOUT_TEST }, []],
  ['pnpm', { 'package.json': WITH_TEST, 'pnpm-lock.yaml': '' }, ['pnpm test']],
  ['yarn', { 'package.json': WITH_TEST, 'yarn.lock': '' }, ['yarn test']],
  ['bun', { 'package.json': WITH_TEST, 'bun.lock': '' }, ['bun run test']],
  [
    'a named package manager',
    { 'package.json': JSON.stringify({ packageManager: 'pnpm@9.1.0', scripts: { test: 'x' } }) },
    ['pnpm test'],
  ],
  ['npm workspaces', { 'package.json': JSON.stringify({ workspaces: ['packages/*'] }) }, ['npm test --workspaces --if-present']],
  ['pnpm workspaces', { 'package.json': '{}', 'pnpm-workspace.yaml': '', 'pnpm-lock.yaml': '' }, ['pnpm -r test']],
  ['vitest without a script', { 'package.json': JSON.stringify({ devDependencies: { vitest: '5' } }) }, ['npx vitest run']],
  ['a package.json that is no JSON', { 'package.json': '{' }, []],
  ['a package.json of odd types', { 'package.json': JSON.stringify({ scripts: ['test'], packageManager: 3 }) }, []],
  ['deno', { 'deno.json': '{}' }, ['deno test']],
  ['deno with a task', { 'deno.json': JSON.stringify({ tasks: { test: 'deno test -A' } }) }, ['deno task test']],
  ['a Python project', { 'pyproject.toml': '[project]\nname = "x"\n' }, ['pytest -q']],
  ['a pyproject.toml for a formatter only', { 'pyproject.toml': '[tool.ruff]\n' }, []],
  ['pytest.ini', { 'pytest.ini': '[pytest]\n' }, ['pytest -q']],
  ['Python tests in a folder', { 'tests/test_a.py': '' }, ['pytest -q']],
  ['a tests folder without Python', { 'tests/a.txt': '' }, []],
  ['uv', { 'pyproject.toml': '[project]\n', 'uv.lock': '' }, ['uv run pytest -q']],
  ['cargo', { 'Cargo.toml': '' }, ['cargo test']],
  ['go', { 'go.mod': '' }, ['go test ./...']],
  ['mix', { 'mix.exs': '' }, ['mix test']],
  ['rspec', { Gemfile: '', 'spec/a_spec.rb': '' }, ['bundle exec rspec']],
  ['rake', { Gemfile: '', Rakefile: '', 'test/test_a.rb': '' }, ['bundle exec rake test']],
  ['composer', { 'composer.json': JSON.stringify({ scripts: { test: ['phpunit'] } }) }, ['composer test']],
  ['phpunit', { 'composer.json': '{}', 'phpunit.xml.dist': '' }, ['vendor/bin/phpunit']],
  ['maven with its wrapper', { 'pom.xml': '', mvnw: '' }, ['./mvnw -q test']],
  ['gradle', { 'build.gradle.kts': '' }, ['gradle test']],
  ['.NET', { 'App.sln': '' }, ['dotnet test']],
  ['make', { Makefile: 'all:\n\ttrue\ntest: all\n\ttrue\n' }, ['make test']],
  ['a makefile without tests', { Makefile: 'all:\n\ttrue\ntest := x\ntesting:\n\ttrue\n' }, []],
  ['just', { justfile: 'test *args:\n  true\n' }, ['just test']],
  ['a makefile beside npm', { 'package.json': WITH_TEST, Makefile: 'test:\n\tnpm test\n' }, ['npm test']],
  ['two languages', { 'package.json': WITH_TEST, 'go.mod': '' }, ['npm test', 'go test ./...']],
  ['an empty folder', {}, []],
])('INIT-1 finds how to test: %s', (_what, files, commands) => {
  expect(commandsOf(files)).toEqual(commands)
})

test('INIT-1 a folder that is not there has no tests', () => {
  expect(findTestCommands('/nowhere/at/all')).toEqual([])
})

const UNITTEST = 'import unittest\n\nclass Prices(unittest.TestCase):\n    def test_a(self):\n        pass\n'
const FROM = 'from unittest import TestCase\n\nclass Prices(TestCase):\n    def test_a(self):\n        pass\n'

test.each([
  ['tests in a folder', { 'tests/test_a.py': UNITTEST }, 'python3 -m unittest discover -s tests'],
  ['tests in a package', { 'tests/test_a.py': FROM, 'tests/__init__.py': '' }, 'python3 -m unittest'],
  ['tests beside the code', { 'test_a.py': UNITTEST }, 'python3 -m unittest'],
  ['names that end with _test', { 'a_test.py': UNITTEST }, 'python3 -m unittest discover -p "*_test.py"'],
  ['a project that is about none', { 'pyproject.toml': '[project]\nname = "x"\n', 'test_a.py': UNITTEST }, 'python3 -m unittest'],
  ['a project without tests', { 'pyproject.toml': '[project]\nname = "x"\n' }, 'pytest -q'],
  ['tests that are functions', { 'test_a.py': `${UNITTEST}\ndef test_b():\n    pass\n` }, 'pytest -q'],
  ['tests that only use its mocks', { 'test_a.py': 'from unittest import mock\n\nclass TestA:\n    pass\n' }, 'pytest -q'],
  ['tests that import pytest', { 'test_a.py': `import pytest\n${UNITTEST}` }, 'pytest -q'],
  ['pytest.ini', { 'pytest.ini': '', 'test_a.py': UNITTEST }, 'pytest -q'],
  ['setup.cfg', { 'setup.cfg': '[tool:pytest]\n', 'test_a.py': UNITTEST }, 'pytest -q'],
  ['pyproject.toml', { 'pyproject.toml': '[tool.pytest.ini_options]\n', 'test_a.py': UNITTEST }, 'pytest -q'],
  ['requirements', { 'requirements-dev.txt': 'pytest==9.0\n', 'test_a.py': UNITTEST }, 'pytest -q'],
  ['uv', { 'pyproject.toml': '[project]\n', 'uv.lock': '', 'test_a.py': UNITTEST }, 'uv run pytest -q'],
])('CLI-461 without pytest, what can run is chosen: %s', (_what, files, command) => {
  expect(commandsOf(files, false)).toEqual([command])
})

test('CLI-461 where pytest is installed it runs the tests of unittest too', () => {
  expect(commandsOf({ 'test_a.py': UNITTEST }, true)).toEqual(['pytest -q'])
})

test('INIT-20 if the top folder has no hint, each project below is tested in its own folder', () => {
  const folder = folderOf({
    'backend/pyproject.toml': '[project]\nname = "x"\n',
    'packages/web/package.json': WITH_TEST,
    'examples/one/package.json': WITH_TEST,
    'README.md': '',
  })
  expect(findTestCommands(folder)).toEqual([
    { tool: 'pytest', command: 'pytest -q', because: 'backend/pyproject.toml', cwd: 'backend' },
    { tool: 'npm', command: 'npm test', because: 'packages/web/package.json', cwd: 'packages/web' },
  ])
})

test.each([
  ['npm', { 'package.json': WITH_TEST, 'package-lock.json': '{}' }, [{ command: 'npm ci', unless: 'node_modules' }]],
  [
    'yarn 1',
    { 'package.json': WITH_TEST, 'yarn.lock': '' },
    [{ command: 'yarn install --frozen-lockfile', unless: 'node_modules' }],
  ],
  ['uv', { 'pyproject.toml': '[project]\n', 'uv.lock': '' }, [{ command: 'uv sync --frozen', unless: '.venv' }]],
  ['make', { Makefile: 'generate:\n\ttrue\ntest:\n\ttrue\n' }, [{ command: 'make generate' }]],
  ['go, which fetches by itself', { 'go.mod': '' }, []],
  ['cargo, too', { 'Cargo.toml': '', 'Cargo.lock': '' }, []],
  [
    'a folder below',
    { 'web/package.json': WITH_TEST, 'web/pnpm-lock.yaml': '' },
    [{ cwd: 'web', because: 'web/pnpm-lock.yaml' }],
  ],
])('INIT-21 what makes a fresh copy ready: %s', (_name, files, wanted) => {
  const folder = folderOf(files as Readonly<Record<string, string>>)
  expect(findPrepare(folder, findTestCommands(folder))).toMatchObject(wanted)
})
