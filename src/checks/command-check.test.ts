import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../test/support/process-support.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { CheckRequest, ReportParser } from './check.ts'
import { commandCheck, type CommandCheckOptions } from './command-check.ts'
import { general } from './reports/general.ts'
import { reportParsers } from './reports/index.ts'

async function check(
  options: Partial<CommandCheckOptions>,
  cwd = temporaryFolder(),
  signal = new AbortController().signal,
  asked: Partial<CheckRequest> = {},
) {
  const starts: (ProcessIdentity | undefined)[] = []
  const lines: string[] = []
  const context = {
    signal,
    started: async (process?: ProcessIdentity) => void starts.push(process),
    progress: (line: string) => void lines.push(line),
  }
  const whole = { name: 'tests', parsers: reportParsers, ...options } as CommandCheckOptions
  const result = await commandCheck(whole).run({ run: 'r', iteration: 1, cwd, tree: 't', ...asked }, context)
  return { result, starts, lines }
}

const shell = (command: string, more: Partial<CommandCheckOptions> = {}) =>
  ({ ...more, command, shell: true }) as Partial<CommandCheckOptions>

test('CHECK-1 exit 0 is a pass, with counts if a report gives them, and the start is reported before', async () => {
  const { result, starts } = await check({ command: ['echo', 'error: all is well'] })
  expect(result).toEqual({ status: 'passed', exitCode: 0, output: { text: 'error: all is well\n', bytesCut: 0 } })
  expect(starts).toEqual([expect.objectContaining({ pid: expect.any(Number) })])
  const counted = await check(shell('printf "TAP version 13\\nok 1 - a\\nok 2 - b # SKIP\\n1..2\\n"'))
  expect(counted.result).toMatchObject({ status: 'passed', counts: { passed: 1, failed: 0, skipped: 1 } })
})

test('CHECK-1 exit 0 with nothing run is a pass', async () => {
  expect((await check({ command: ['true'] })).result).toMatchObject({ status: 'passed' })
  expect((await check(shell('printf "TAP version 13\\n1..0\\n"'))).result).toMatchObject({ status: 'passed' })
})

test('CHECK-2 a report that shows failures is a failure although the exit code is 0', async () => {
  const { result } = await check(shell('printf "TAP version 13\\nnot ok 1 - adds\\nok 2 - b\\n1..2\\n"'))
  expect(result).toMatchObject({
    status: 'failed',
    exitCode: 0,
    counts: { passed: 1, failed: 1, skipped: 0 },
    failures: [{ id: 'adds' }],
  })
})

test('CHECK-3 a real test run gives the failed tests, with files as seen from the folder', async () => {
  const cwd = temporaryFolder()
  writeFileSync(
    join(cwd, 'sum.test.mjs'),
    `import assert from 'node:assert/strict'\nimport { describe, it } from 'node:test'\ndescribe('sum', () => {\n  it('adds', () => assert.equal(1 + 1, 3))\n  it('is there', () => {})\n})\n`,
  )
  const { result } = await check({ command: [process.execPath, '--test', '--test-reporter=tap'] }, cwd)
  expect(result).toMatchObject({
    status: 'failed',
    exitCode: 1,
    counts: { passed: 1, failed: 1, skipped: 0 },
    failures: [{ id: 'sum > adds', kind: 'assertion', file: 'sum.test.mjs', line: 4, expected: '3', received: '2' }],
  })
})

test('CHECK-3 without a report the check is its one failure, with the telling lines', async () => {
  const { result } = await check(
    shell('echo compiling; echo "src/a.ts(3,5): error TS2322: Type mismatch"; echo bye; exit 2', { parsers: [general] }),
  )
  expect(result).toMatchObject({
    status: 'failed',
    exitCode: 2,
    failures: [
      { id: 'tests', kind: 'compile', file: 'src/a.ts', line: 3, message: 'src/a.ts(3,5): error TS2322: Type mismatch' },
    ],
  })
  expect(result).not.toHaveProperty('counts')
  expect((await check(shell('echo some words; exit 1', { parsers: [] }))).result).toMatchObject({
    failures: [{ id: 'tests', message: 'Exit code 1.\nsome words' }],
  })
  expect((await check({ command: ['false'] })).result).toMatchObject({
    failures: [{ id: 'tests', message: expect.stringContaining('printed nothing') }],
  })
})

test('CHECK-3 tests that all passed under a failed command: the check is the failure, the counts stay', async () => {
  const { result } = await check(shell('printf "TAP version 13\\nok 1 - a\\n1..1\\n"; echo "coverage is too low"; exit 1'))
  expect(result).toMatchObject({
    status: 'failed',
    counts: { passed: 1, failed: 0 },
    failures: [{ id: 'tests', message: expect.stringContaining('coverage is too low') }],
  })
})

const longParser: ReportParser = () => ({
  format: 'mine',
  counts: { passed: 0, failed: 80, skipped: 0 },
  failures: Array.from({ length: 80 }, (_, index) => ({
    id: `${index}`,
    kind: 'unknown' as const,
    message: 'x'.repeat(9999),
    expected: 'y'.repeat(9999),
  })),
})

const brokenParser: ReportParser = () => {
  throw new Error('out of order')
}

test('CHECK-4 at most 50 failures are kept, and long texts are shortened', async () => {
  const { result } = await check({ command: ['false'], parsers: [longParser] })
  const failures = result.status === 'failed' ? result.failures : []
  expect([failures.length, failures[0]?.message.length, failures[0]?.expected?.length]).toEqual([50, 2000, 500])
  expect(result).toMatchObject({ counts: { failed: 80 } })
})

test('CHECK-4 a parser that throws is passed over and named', async () => {
  const { result, lines } = await check({ command: ['false'], parsers: [brokenParser] })
  expect(result).toMatchObject({ status: 'failed', failures: [{ id: 'tests' }] })
  expect(lines).toEqual([expect.stringContaining('out of order')])
})

test('CHECK-5 what could not run is an error with a fault and a fix, never a verdict', async () => {
  const missing = await check({ command: ['no-such-runner'] })
  expect(missing.result).toMatchObject({
    status: 'errored',
    fault: 'config',
    isProgramMissing: true,
    message: expect.stringContaining('no-such-runner'),
    fix: expect.any(String),
  })
  expect(missing.starts).toEqual([undefined])
  expect((await check(shell('no-such-runner --all'))).result).toMatchObject({
    status: 'errored',
    fault: 'config',
    isProgramMissing: true,
    output: { text: expect.stringContaining('no-such-runner') },
  })
  expect((await check(shell('(exit 0); no-such-runner'))).result).toMatchObject({ status: 'errored', fault: 'environment' })
  expect((await check({ command: ['true'] }, '/no/such/folder')).result).toMatchObject({
    status: 'errored',
    fault: 'environment',
  })
  expect((await check(shell('kill -9 $$'))).result).toMatchObject({
    status: 'errored',
    fault: 'environment',
    fix: expect.stringContaining('memory'),
  })
})

test('CHECK-5 exit 127 without a complaint, and a crash, are failures of the work', async () => {
  expect((await check(shell('exit 127'))).result).toMatchObject({ status: 'failed', exitCode: 127 })
  expect((await check(shell('echo error; kill -SEGV $$'))).result).toMatchObject({
    status: 'failed',
    failures: [{ id: 'tests', kind: 'exception', message: expect.stringContaining('SIGSEGV') }],
  })
})

/** Real programs that are asked for what is not there. */
const ABSENT: readonly (readonly [string, string])[] = [
  ['npm run tset', 'package.json has no script "tset"; did you mean "test"?'],
  ['npm tset', 'npm has no command "tset".'],
  ['node tests/run.js', 'There is no file tests/run.js.'],
  ['python3 -m nosuch', 'Python has no module nosuch.'],
  ['make tset', 'The makefile has no target tset.'],
  ['sh run.sh', 'There is no file run.sh.'],
  ['bash run.sh', 'There is no file run.sh.'],
]

test.each(ABSENT)(
  'CHECK-64 before any work %s is an error of the configuration',
  { timeout: 30_000 },
  async (command, message) => {
    const { result } = await check({ command: command.split(' ') }, npmProject(), undefined, { iteration: 0 })
    expect(result).toMatchObject({
      status: 'errored',
      fault: 'config',
      message,
      fix: expect.stringContaining('Correct the command'),
    })
    expect(result).not.toHaveProperty('isSlip')
  },
)

test(
  'CHECK-64 if there is no project yet, making it is the work: the check fails like any other',
  { timeout: 30_000 },
  async () => {
    const { result } = await check({ command: ['npm', 'test'] }, undefined, undefined, { iteration: 0 })
    expect(result).toMatchObject({ status: 'failed', failures: [{ id: 'tests' }] })
  },
)

test.each(['node tests/run.js', 'make tset', 'sh run.sh', 'bash run.sh'])(
  'CHECK-66 %s that ran before in the run is broken by the agent: a failed check',
  async (command) => {
    const { result } = await check({ command: command.split(' ') }, npmProject(), undefined, { iteration: 2, hasRun: true })
    expect(result).toMatchObject({ status: 'failed', failures: [{ id: 'tests', message: expect.stringMatching(/tset|run/) }] })
  },
)

test('CHECK-66 a program of the workspace that ran before and is gone is a failed check; before that it is an error', async () => {
  const cwd = temporaryFolder()
  const path = join(cwd, 'run.sh')
  writeFileSync(path, '#!/bin/sh\nexit 1\n')
  chmodSync(path, 0o755)
  const asked = (command: string, hasRun: boolean) =>
    check(command === 'line' ? shell('./run.sh; exit $?') : { command: ['./run.sh'] }, cwd, undefined, hasRun ? { hasRun } : {})
  expect((await asked('words', false)).result).toMatchObject({ status: 'failed', exitCode: 1 })
  rmSync(path)
  for (const form of ['words', 'line']) {
    expect((await asked(form, true)).result).toMatchObject({ status: 'failed', failures: [{ id: 'tests' }] })
    expect((await asked(form, false)).result).toMatchObject({ status: 'errored' })
  }
  expect((await check({ command: ['no-such-runner'] }, cwd, undefined, { hasRun: true })).result.status).toBe('errored')
})

test('CHECK-67 after work that nothing was looked at before, a slip is an error, and what is still to be made a failed check', async () => {
  const cwd = npmProject()
  const npm = await check({ command: ['npm', 'run', 'tset', '--silent'] }, cwd)
  expect(npm.result).toMatchObject({ status: 'errored', fault: 'config' })
  expect((await check({ command: ['node', 'tests/run.js'] }, cwd)).result).toMatchObject({ status: 'failed' })
})

test('CHECK-65 tests that print such a complaint have failed all the same', async () => {
  const said = `echo 'npm error Missing script: "tset"'; printf 'TAP version 13\\nnot ok 1 - runs npm run tset\\n1..1\\n'; exit 1`
  const { result } = await check(shell(`${said} # npm tset`), npmProject(), undefined, { iteration: 0 })
  expect(result).toMatchObject({ status: 'failed', failures: [{ id: 'runs npm run tset' }] })
})

function npmProject(): string {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts: { test: 'node --test' } }))
  writeFileSync(join(cwd, 'Makefile'), 'test:\n\ttrue\n')
  return cwd
}

test('CHECK-6 a check that hangs has failed, with one failure of kind timeout', async () => {
  const { result } = await check(shell('printf "TAP version 13\\nnot ok 1 - a\\n"; sleep 30', { timeoutMs: 300 }))
  expect(result).toMatchObject({
    status: 'failed',
    failures: [{ id: 'tests', kind: 'timeout', message: expect.stringContaining('0.3 s') }],
  })
  expect(result.status === 'failed' && result.failures.length).toBe(1)
})

test('CHECK-6 an abort ends the check', async () => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 100)
  expect((await check({ command: ['sleep', '30'] }, undefined, controller.signal)).result).toEqual({ status: 'aborted' })
})

test('CHECK-7 a check runs with CI and NO_COLOR set, with what is passed on, and nothing else of ours', async () => {
  process.env['PAWL_TEST_PLANTED'] = 'secret'
  const { result } = await check({ command: ['env'], variables: { MODE: 'quick' } })
  delete process.env['PAWL_TEST_PLANTED']
  const text = 'output' in result ? (result.output?.text ?? '') : ''
  expect(text.split('\n')).toEqual(expect.arrayContaining(['CI=true', 'NO_COLOR=1', 'MODE=quick']))
  expect(text).not.toContain('secret')
})

test('CHECK-8 the spec holds the options as data; options that cannot work are refused at construction', () => {
  const made = commandCheck({ name: 'lint', command: ['oxlint'] })
  expect(made.name).toBe('lint')
  expect(made.spec).toEqual({
    name: 'command',
    v: 1,
    settings: { name: 'lint', command: ['oxlint'], timeoutMs: 600_000, environment: [], variables: {} },
  })
  expect(commandCheck(JSON.parse(JSON.stringify(made.spec.settings)) as CommandCheckOptions).spec).toEqual(made.spec)
  expect(() => commandCheck({ name: '', command: ['x'] })).toThrow(expect.objectContaining({ code: 'check.command.name' }))
  expect(() => commandCheck({ name: 'x', command: [] })).toThrow(expect.objectContaining({ code: 'check.command.empty' }))
})

test('CHECK-69 with cwd it runs in a folder of the workspace, also behind a box, and files are named from the top', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'packages/api'), { recursive: true })
  writeFileSync(join(cwd, 'packages/api/here.txt'), '')
  const says = shell('ls; echo "src/a.ts(3,5): error TS2322: Type mismatch"; exit 2', {
    cwd: './packages/api/',
    parsers: [general],
  })
  const failed = { status: 'failed', failures: [{ file: 'packages/api/src/a.ts' }] }
  const { result } = await check(says, cwd)
  expect(result).toMatchObject({ ...failed, output: { text: expect.stringMatching(/^here\.txt\n/) } })
  const boxed = await check(says, temporaryFolder(), undefined, { box: { prefix: ['/usr/bin/env'], cwd } })
  expect(boxed.result).toMatchObject({ ...failed, output: { text: expect.stringMatching(/^here\.txt\n/) } })
})

test('CHECK-69 a folder that is not there is asked about before any work, and is a failure after it', async () => {
  const options = { command: ['true'], cwd: 'packages/api' }
  const before = await check(options, temporaryFolder(), undefined, { iteration: 0 })
  expect(before.result).toEqual({
    status: 'errored',
    fault: 'config',
    message: 'There is no folder packages/api.',
    fix: 'Correct `cwd` of the check, or create the folder.',
    isTargetMissing: true,
  })
  expect((await check(options)).result).toMatchObject({ status: 'failed' })
  expect((await check(options, undefined, undefined, { iteration: 0, hasRun: true })).result).toMatchObject({ status: 'failed' })
})

test.each(['', ' ', '/tmp', '..', '../api', 'a/../../b'])('CHECK-69 cwd %j is refused', (cwd) => {
  expect(() => commandCheck({ name: 'tests', command: ['true'], cwd })).toThrow('a folder below the project')
})

test('CHECK-70 cwd and room: false are recorded with the check', () => {
  const { settings } = commandCheck({ name: 'tests', command: ['true'], cwd: 'packages/api', room: false }).spec
  expect(settings).toMatchObject({ cwd: 'packages/api', room: false })
  expect(commandCheck({ name: 'tests', command: ['true'], room: true }).spec.settings).not.toHaveProperty('room')
})

const TAP = (message: string) =>
  `printf 'TAP version 13\\nnot ok 1 - reads\\n  ---\\n  error: "${message}"\\n  ...\\n1..1\\n'; exit 1`

test.each([
  ['a shell', 'set -u; echo "$MY_DATABASE"'],
  ['a tool', 'echo "error: MY_DATABASE is not set" >&2; exit 1'],
  ['a program', 'echo "Error: Missing required environment variable: MY_DATABASE" >&2; exit 1'],
  ['python', `echo "KeyError: 'MY_DATABASE'" >&2; exit 1`],
  ['a test', TAP('MY_DATABASE is required')],
])('ENV-4 a variable that is set and was withheld is the fault of the settings, as %s says it', async (_who, command) => {
  vi.stubEnv('MY_DATABASE', 'here')
  for (const iteration of [0, 2]) {
    const { result } = await check(shell(command, { environment: ['A_KEY'] }), undefined, undefined, { iteration })
    expect(result).toMatchObject({
      status: 'errored',
      fault: 'config',
      message: expect.stringMatching(/^MY_DATABASE is set here, but isn't passed on to the check: /),
      fix: `Write under \`checks\` in pawl.yaml: - { name: "tests", command: ${JSON.stringify(command)}, shell: true, environment: [A_KEY, MY_DATABASE] }; then resume.`,
    })
  }
  vi.unstubAllEnvs()
})

test('ENV-5 a variable that is set nowhere counts only before the work, and not if a test failed', async () => {
  const say = 'echo "error: MY_DATABASE is not set" >&2; exit 1'
  const { result } = await check(shell(say), undefined, undefined, { iteration: 0 })
  expect(result).toMatchObject({ status: 'errored', fault: 'config', fix: expect.stringMatching(/^Set MY_DATABASE where/) })
  expect((await check(shell(say), undefined, undefined, { iteration: 1 })).result).toMatchObject({ status: 'failed' })
  const failing = TAP('MY_DATABASE is not set')
  expect((await check(shell(failing), undefined, undefined, { iteration: 0 })).result).toMatchObject({ status: 'failed' })
  const words = 'echo "expected the label to be SET_UP, not READY" >&2; exit 1'
  expect((await check(shell(words), undefined, undefined, { iteration: 0 })).result).toMatchObject({ status: 'failed' })
})

test('PROOF-41 what an added check runs should be there: if it is missing, that is asked about', async () => {
  const options = { command: ['sh', 'e2e.sh'] }
  expect((await check(options)).result).toMatchObject({ status: 'failed' })
  const late = await check(options, undefined, undefined, { isLate: true })
  expect(late.result).toMatchObject({ status: 'errored', fault: 'config', isTargetMissing: true })
  expect((await check(options, undefined, undefined, { isLate: true, hasRun: true })).result).toMatchObject({ status: 'failed' })
})

test('FAULT-4 before any work one test that the machine keeps from passing is enough; later all failures must say so', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'requirements.txt'), 'requests\n')
  const tap = (reason: string) => {
    const tests = [reason, 'boom'].map((each, index) => `not ok ${index + 1} - ${index}\n  ---\n  error: "${each}"\n  ...\n`)
    writeFileSync(join(cwd, 'report.tap'), `TAP version 13\n${tests.join('')}1..2\n`)
    return 'cat report.tap; exit 1'
  }
  for (const [reason, fix] of [
    ["ModuleNotFoundError: No module named 'requests'", 'pip install -r requirements.txt'],
    ['connect ECONNREFUSED 127.93.17.5:5432', 'Start PostgreSQL'],
  ] as const) {
    const { result } = await check(shell(tap(reason)), cwd, undefined, { iteration: 0 })
    expect(result).toMatchObject({ status: 'errored', fault: 'environment', fix: expect.stringContaining(fix) })
    expect((await check(shell(tap(reason)), cwd, undefined, { iteration: 1 })).result).toMatchObject({ status: 'failed' })
  }
  writeFileSync(join(cwd, 'Gemfile'), "gem 'sinatra'\n")
  const rspec =
    'printf "LoadError:\\n  cannot load such file -- sinatra\\nNo examples found.\\n\\n0 examples, 0 failures, 1 error occurred outside of examples\\n"; exit 1'
  const loaded = await check(shell(rspec), cwd, undefined, { iteration: 0 })
  expect(loaded.result).toMatchObject({ status: 'errored', fix: expect.stringContaining('bundle install') })
  const own = tap('connect ECONNREFUSED 127.93.17.5:3000')
  expect((await check(shell(own), cwd, undefined, { iteration: 0 })).result).toMatchObject({ status: 'failed' })
})
