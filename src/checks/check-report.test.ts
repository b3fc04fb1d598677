import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/process-support.ts'
import { hungTest, withoutPassedRuns } from './check-report.ts'
import { type ReportParser, TESTS_KEPT_MAX } from './check.ts'
import { commandCheck, type CommandCheckOptions } from './command-check.ts'
import { general } from './reports/general.ts'
import { reportParserNamed, reportParsers } from './reports/index.ts'
import { tap } from './reports/tap.ts'

/** Reads `mine PASSED FAILED`, then one line for each failure, `kind message`; `cut` at the end is trouble. */
const mine: ReportParser = (text) => {
  const [head = '', ...lines] = text.trim().split('\n')
  const [, passed, failed] = /^mine (\d+) (\d+)$/.exec(head) ?? []
  if (passed === undefined) return undefined
  const failures = lines
    .filter((line) => line !== 'cut' && line !== '' && !line.startsWith('['))
    .map((line) => {
      const [kind = '', ...words] = line.split(' ')
      return { id: words[0] ?? '', kind: kind as 'assertion', message: words.join(' ') }
    })
  const tests = failures.map(({ id }) => ({ id, outcome: 'failed' as const }))
  return {
    format: 'mine',
    counts: { passed: Number(passed), failed: Number(failed), skipped: 0 },
    failures,
    tests,
    ...(lines.includes('cut') && { trouble: 'It ends in the middle.' }),
  }
}

const PARSERS = {
  parsers: [tap, mine, general],
  parserNamed: (name: string) => (name === 'mine' ? mine : name === 'tap' ? tap : undefined),
  parserNames: ['mine', 'tap', 'junit', 'vitest-json', 'jest-json'],
}

const NO_FORMATS = { parsers: [], parserNamed: () => undefined, parserNames: [] }

async function check(command: string, options: Partial<CommandCheckOptions> = {}, cwd = temporaryFolder()) {
  const lines: string[] = []
  const context = {
    signal: new AbortController().signal,
    started: async () => {},
    progress: (line: string) => void lines.push(line),
  }
  const whole = { name: 'tests', ...PARSERS, ...options, command, shell: true } as CommandCheckOptions
  const result = await commandCheck(whole).run({ run: 'r', iteration: 1, cwd, tree: 't' }, context)
  return { result, lines }
}

const FILE = { report: { file: 'out/report.txt' } }
const write = (content: string, exitCode = 0) => `mkdir -p out; printf '${content}' >out/report.txt; exit ${exitCode}`

test('BOX-28 a report that a link leads out of the workspace is not read; a link inside is', async () => {
  const outside = temporaryFolder()
  writeFileSync(join(outside, 'report.txt'), 'mine 2 0')
  const touched = `touch ${outside}/report.txt`
  for (const link of [`ln -s ${outside} out`, `mkdir out; ln -s ${outside}/report.txt out/report.txt`])
    expect((await check(`${link}; ${touched}`, FILE)).result).toMatchObject(errored('leads out of the workspace'))
  const inside = 'mkdir real; ln -s real out; '
  expect((await check(inside + write('mine 2 0'), FILE)).result).toMatchObject({ counts: { passed: 2 } })
})

test('CHECK-9 a report in a file is read instead of the output', async () => {
  const printed = 'printf "TAP version 13\\nnot ok 1 - old\\n1..1\\n"; '
  expect((await check(printed + write('mine 2 0'), FILE)).result).toMatchObject({
    status: 'passed',
    counts: { passed: 2, failed: 0 },
    tests: [],
  })
  for (const exitCode of [0, 1]) {
    expect((await check(printed + write('mine 1 1\\nassertion adds', exitCode), FILE)).result).toMatchObject({
      status: 'failed',
      exitCode,
      failures: [{ id: 'adds', kind: 'assertion' }],
      tests: [{ id: 'adds', outcome: 'failed' }],
    })
  }
})

const errored = (problem: string) => ({
  status: 'errored',
  fault: 'config',
  message: expect.stringContaining(problem),
  fix: expect.stringContaining('report'),
})

test('CHECK-9 without its report exit code 0 is no pass but an error of the configuration', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'out'))
  expect((await check('true', FILE, cwd)).result).toMatchObject(errored('was not written'))
  // From the future even: only a file written again counts.
  writeFileSync(join(cwd, 'out/report.txt'), 'mine 9 0')
  utimesSync(join(cwd, 'out/report.txt'), new Date(), new Date(Date.now() + 3_600_000))
  expect((await check('true', FILE, cwd)).result).toMatchObject(errored('from before the check'))
  expect((await check('touch out/report.txt', FILE, cwd)).result).toMatchObject({ status: 'passed' })
  expect((await check(write('something else'), FILE, cwd)).result).toMatchObject(errored('not in a format that is known'))
  expect((await check('rm out/report.txt; mkfifo out/report.txt', FILE, cwd)).result).toMatchObject(errored('regular'))
  expect((await check('true', { report: { format: 'mine' } })).result).toMatchObject(errored('the format mine'))
})

test('CHECK-9 a failed command without its report has failed, with what its output says', async () => {
  const { result, lines } = await check('printf "TAP version 13\\nnot ok 1 - adds\\n1..1\\n"; exit 1', FILE)
  expect(result).toMatchObject({ status: 'failed', failures: [{ id: 'adds' }] })
  expect(lines).toContainEqual(expect.stringContaining('was not written'))
  expect((await check('exit 3', FILE)).result).toMatchObject({
    status: 'failed',
    failures: [{ id: 'tests', message: expect.stringMatching(/Exit code 3[\s\S]*was not written/) }],
  })
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'report.txt'), 'mine 9 0')
  expect((await check('echo broken; exit 1', { report: { file: 'report.txt' } }, cwd)).result).toMatchObject({ status: 'failed' })
})

test('CHECK-9 a report larger than 256 MB is an error, whatever the exit code, and is not read', async () => {
  for (const exitCode of [0, 1]) {
    const { result } = await check(`truncate -s 257M huge; exit ${exitCode}`, { report: { file: 'huge' } })
    expect(result).toMatchObject({ status: 'errored', fault: 'config', message: expect.stringContaining('larger') })
  }
})

test('CHECK-10 single lines that look like errors prove nothing against exit code 0, unless their format was asked for', async () => {
  const line = "echo 'src/a.ts(3,5): error TS2322: Type mismatch'"
  const parsers = { parsers: reportParsers, parserNamed: reportParserNamed }
  const { result } = await check(line, parsers)
  expect(result).toMatchObject({ status: 'passed' })
  expect(result).not.toHaveProperty('counts')
  for (const options of [{ ...parsers, report: { format: 'tsc' } }, parsers]) {
    const exitCode = 'report' in options ? 0 : 2
    expect((await check(`${line}; exit ${exitCode}`, options)).result).toMatchObject({
      status: 'failed',
      failures: [{ kind: 'compile' }],
    })
  }
})

test('CHECK-10 a report that is not whole is never a pass, and shows what could be read', async () => {
  const broken = errored('It ends in the middle.')
  expect((await check(write('mine 1 0\\ncut'), FILE)).result).toMatchObject(broken)
  expect((await check("printf 'mine 1 0\\ncut'")).result).toMatchObject(broken)
  expect((await check("printf 'mine 1 1\\nassertion adds\\ncut'")).result).toMatchObject({
    status: 'failed',
    failures: [{ id: 'adds' }],
  })
  expect((await check("printf 'mine 1 1\\nassertion adds\\ncut'; exit 1")).result).toMatchObject({
    status: 'failed',
    failures: [{ id: 'adds' }],
  })
  expect((await check("printf 'mine 1 0\\ncut'; exit 1")).result).toMatchObject({
    status: 'failed',
    failures: [{ id: 'tests', message: expect.stringContaining('It ends in the middle.') }],
  })
})

/** Prints a TAP report of some megabytes with one failure in its middle. */
const longReport = (tests: number) =>
  `${process.execPath} -e "console.log('TAP version 13');for(let i=1;i<=${tests};i++)console.log((i===${Math.round(tests / 2)}?'not ok ':'ok ')+i+' - test number '+i+' of many, with a long name');console.log('1..${tests}')"`

test('CHECK-11 a long report in the output is read whole, and nothing of it is left in the temporary folder', async () => {
  const temporary = temporaryFolder()
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = temporary
  const { result } = await check(longReport(30_000))
  const left = readdirSync(temporary).filter((name) => !name.startsWith('pawl-test-'))
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  expect(left).toEqual([])
  expect(result).toMatchObject({
    status: 'failed',
    exitCode: 0,
    counts: { passed: 29_999, failed: 1, skipped: 0 },
    failures: [{ id: 'test number 15000 of many, with a long name' }],
    output: { bytesCut: expect.any(Number) },
  })
  expect('output' in result && result.output?.bytesCut).toBeGreaterThan(0)
})

test('CHECK-11 an output too long to be kept proves no counts, and no pass where a report was asked for', async () => {
  const long = "printf 'mine 1 0\\n\\n'; head -c 70000000 /dev/zero | tr '\\0' '\\n'"
  const { result } = await check(long)
  expect(result).toMatchObject({ status: 'passed' })
  expect(result).not.toHaveProperty('counts')
  expect((await check(long, { report: { format: 'mine' } })).result).toMatchObject({
    status: 'errored',
    message: expect.stringContaining('64 MiB'),
  })
})

test('CHECK-12 failed tests are the work’s, whatever words they use', async () => {
  const words = ['Error: ENOSPC: no space left on device, write', 'sh: 1: jest: not found', '429 Too Many Requests']
  for (const [index, word] of words.entries()) {
    const { result } = await check(`printf 'mine 0 1\\nassertion adds\\n'; echo '${word}'; exit ${[1, 127, 1][index]}`)
    expect(result).toMatchObject({
      status: 'failed',
      failures: expect.arrayContaining([expect.objectContaining({ id: 'adds' })]),
    })
  }
  const mixed = "printf 'mine 0 2\\nenvironment No database.\\nassertion adds'; exit 1"
  expect((await check(mixed)).result).toMatchObject({ status: 'failed', failures: [{}, {}] })
})

test('CHECK-12 where every test failed for want of something that is found wanting there is nothing to judge', async () => {
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, () => resolve((server.address() as { port: number }).port))
  })
  onTestFinished(() => void server.close())
  const held = `environment Error: listen EADDRINUSE: address already in use :::${port}`
  for (const exitCode of [0, 1]) {
    const { result } = await check(`printf 'mine 0 2\n${held}\n${held}'; exit ${exitCode}`)
    expect(result).toMatchObject({ status: 'errored', fault: 'environment', fix: expect.stringContaining(`${port}`) })
  }
  const notAll = [`mine 0 2\n${held}\nassertion adds`, `mine 0 2\n${held}`, `mine 0 2\n${held}\nenvironment No database.`]
  for (const text of notAll) expect((await check(`printf '${text}'; exit 1`)).result).toMatchObject({ status: 'failed' })
})

test('CHECK-62 a service that is down is looked up whatever kind its failures are of, and is nobody’s failure', async () => {
  // Nobody listens on the port for databases at this address of the loopback.
  const down = 'exception Error: connect ECONNREFUSED 127.93.17.7:26257'
  const texts = [
    `mine 0 2\n${down}\n${down}`,
    `mine 0 2\n${down}\nexception Error: no user`,
    `mine 0 1\n${down.replace('26257', '3999')}`,
  ]
  const checks = await Promise.all(texts.map(async (text) => check(`printf '${text}'; exit 1`)))
  expect(checks.map(({ result }) => result.status)).toEqual(['errored', 'failed', 'failed'])
  expect(checks[0]?.result).toMatchObject({ fault: 'environment', fix: expect.stringContaining('CockroachDB') })
})

test('CHECK-62 a package that node:test did not find is looked up as well', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'a.test.mjs'), "import 'left-pad'")
  const run = async () => (await check('node --test', { parsers: reportParsers }, cwd)).result
  expect(await run()).toMatchObject({ status: 'failed' })
  writeFileSync(join(cwd, 'package.json'), '{"dependencies": {"left-pad": "1"}}')
  expect(await run()).toMatchObject({ status: 'errored', fix: expect.stringContaining('npm install') })
})

test('CHECK-63 a command that exits with 137 by itself has failed', async () => {
  expect((await check('echo "the child was killed as expected"; exit 137')).result).toMatchObject({
    status: 'failed',
    exitCode: 137,
  })
})

test('CHECK-12 a test that throws the words of a trouble itself has failed', async () => {
  for (const words of [
    'Error: ENOSPC: no space left on device, write',
    'AssertionError: expected ENOSPC',
    'Error: spawn ENOMEM',
  ]) {
    const { result } = await check(`printf 'mine 0 1\nenvironment ${words}'; exit 1`)
    expect(result).toMatchObject({ status: 'failed', failures: [{ kind: 'environment' }] })
  }
})

test('CHECK-12 without a report the last lines of a failed command say what the machine lacks', async () => {
  const full = 'echo working; echo "tar: a: Cannot write: No space left on device" >&2; exit 2'
  expect((await check(full)).result).toMatchObject({
    status: 'errored',
    fault: 'environment',
    fix: expect.stringContaining('df'),
  })
  expect((await check(full.replace('exit 2', 'exit 0'))).result).toMatchObject({ status: 'passed' })
})

test('CHECK-12 a provider’s limit is never read out of a check', async () => {
  for (const line of ['Error: 429 Too Many Requests', 'You have hit your usage limit, resets 3pm (UTC)']) {
    expect((await check(`echo "${line}"; exit 1`)).result).toMatchObject({ status: 'failed' })
  }
})

test('CHECK-13 tests keep the ids of their failures, and are bounded', async () => {
  const id = 'x'.repeat(900)
  const many: ReportParser = () => ({
    format: 'many',
    counts: { passed: TESTS_KEPT_MAX + 5, failed: 1, skipped: 0 },
    failures: [{ id, kind: 'assertion', message: 'no', frame: `${process.cwd()}/a.ts:1` }],
    tests: [
      { id, outcome: 'failed' },
      ...Array.from({ length: TESTS_KEPT_MAX + 5 }, (_, n) => ({ id: `${n}`, outcome: 'passed' as const })),
    ],
  })
  const { result } = await check('true', { parsers: [many] })
  const tests = result.status === 'failed' ? (result.tests ?? []) : []
  expect(tests.length).toBe(TESTS_KEPT_MAX)
  expect(result.status === 'failed' && result.failures[0]?.id).toBe(tests[0]?.id)
  expect(result).toMatchObject({ counts: { passed: TESTS_KEPT_MAX + 5 } })
})

const refused = (message: string) =>
  expect.objectContaining({ code: 'check.command.report', message: expect.stringContaining(message) })

test('CHECK-14 report options are data, kept out when absent, and refused when they cannot work', () => {
  const made = (report?: unknown, more: object = PARSERS) =>
    commandCheck({ name: 'tests', command: ['x'], ...more, ...(report !== undefined && { report }) } as CommandCheckOptions)
  expect(made().spec.settings).not.toHaveProperty('report')
  expect(made({ format: 'mine' }).spec.settings).toMatchObject({ report: { format: 'mine' } })
  const spec = made({ file: 'a.xml', format: 'tap' }).spec
  expect(commandCheck({ ...(JSON.parse(JSON.stringify(spec.settings)) as CommandCheckOptions), ...PARSERS }).spec).toEqual(spec)
  expect(() => made({ format: 'vitest' })).toThrow(refused('did you mean "vitest-json"?'))
  expect(() => made({ format: 'x' })).toThrow(refused('there are mine, tap'))
  expect(() => made({ format: 'mine' }, NO_FORMATS)).toThrow(refused('none is known'))
  expect(() => made({ file: 'reports/*.xml' })).toThrow(refused('wildcards'))
  expect(() => made({ file: ' ' })).toThrow(refused('one file'))
})

test('CHECK-9 a file that may not be read is named as such', async () => {
  const { result } = await check(`${write('mine 1 0').replace('exit 0', 'chmod 0 out/report.txt')}`, FILE)
  const isRoot = process.getuid?.() === 0
  expect(result).toMatchObject(isRoot ? { status: 'passed' } : errored('could not be read'))
})

test('CHECK-9 a report in UTF-16 is read', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'source'), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('mine 3 0\r\n', 'utf16le')]))
  expect((await check('cp source report', { report: { file: 'report' } }, cwd)).result).toMatchObject({ counts: { passed: 3 } })
})

test('CHECK-9 a link to a program’s report elsewhere is followed', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'real'))
  execFileSync('ln', ['-s', 'real', join(cwd, 'out')])
  chmodSync(join(cwd, 'real'), 0o755)
  expect((await check(write('mine 1 0'), FILE, cwd)).result).toMatchObject({ status: 'passed' })
})

const vitest = (printed: string, { failed = 0 } = {}) =>
  ` RUN  v5.1.0 /project\n\n${printed}\n Test Files  ${failed ? `${failed} failed` : '1 passed'} (1)\n      Tests  ${failed ? `${failed} failed` : '1 passed'} (1)\n   Start at  03:58:11\n   Duration  448ms (tests 1%)\n`
const pytest = (printed: string, closing = '1 passed') =>
  `============ test session starts ============\ncollected 1 item\n\n${printed}\n============ ${closing} in 0.10s ============\n`
const node = (failed: number) =>
  `TAP version 13\n${failed ? 'not ok' : 'ok'} 1 - a\n1..1\n# tests 1\n# suites 0\n# pass ${1 - failed}\n# fail ${failed}\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 5\n`
const TAP = '1..2\nok 1 - a\nnot ok 2 - b'
const JUNIT =
  '<?xml version="1.0"?>\n<testsuites tests="1" failures="1"><testsuite name="a" tests="1" failures="1"><testcase name="x"><failure message="no">no</failure></testcase></testsuite></testsuites>'
const JEST = 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total'
const PYTEST = '======= 1 failed, 2 passed in 0.1s ======='
const PROVE =
  'Test Summary Report\n-------------------\nb.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)\n  Failed test:  2\nFiles=1, Tests=2,  1 wallclock secs\nResult: FAIL\n'

async function checkOf(output: string, exitCode = 0) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'output.txt'), output)
  const context = { signal: new AbortController().signal, started: async () => {}, progress: () => {} }
  const command = `cat output.txt; exit ${exitCode}`
  const parts = { parsers: reportParsers, parserNamed: reportParserNamed }
  return commandCheck({ name: 'tests', command, shell: true, ...parts }).run({ run: 'r', iteration: 1, cwd, tree: 't' }, context)
}

test.each([
  ['TAP in vitest', vitest(TAP)],
  ['JUnit in vitest', vitest(JUNIT)],
  ['jest in vitest', vitest(JEST)],
  ['pytest in vitest', vitest(PYTEST)],
  ['vitest in vitest', vitest(vitest('x', { failed: 1 }))],
  [
    'vitest’s closing lines in vitest',
    vitest(' Test Files  1 failed (1)\n      Tests  1 failed (1)\n   Start at  1\n   Duration  1ms'),
  ],
  ['TAP in pytest', pytest(TAP)],
  ['pytest -q in pytest', pytest('FAILED a.py::b - no\n1 failed in 0.1s')],
  ['pytest in pytest', pytest(pytest('F', '1 failed'))],
  ['two runs that pass', vitest(TAP) + pytest(JUNIT) + node(0)],
])('CHECK-60 a run that passed is not failed by a report that one of its tests prints: %s', async (_what, output) => {
  expect(await checkOf(output)).toMatchObject({ status: 'passed', counts: { failed: 0 } })
  // Whatever failed, the result comes from the whole output.
  expect(await checkOf(output, 1)).toMatchObject({ status: 'failed' })
})

test.each([
  ['vitest before TAP', vitest('x', { failed: 1 }) + node(0)],
  ['pytest before TAP', pytest('F', '1 failed') + node(0)],
  ['TAP after vitest', vitest(TAP) + node(1)],
  ['TAP before vitest', node(1) + vitest('x')],
  ['vitest before vitest', vitest('x', { failed: 1 }) + vitest('x')],
  ['pytest before pytest -q', `${pytest('F', '1 failed')}.\n1 passed in 0.1s\n`],
  ['JUnit after pytest', pytest('x') + JUNIT],
  ['prove after TAP', node(0) + PROVE],
  ['a run that was cut off before one that passed', ` RUN  v5.1.0 /project\n${TAP}\n${vitest('x')}`],
])('CHECK-61 with exit code 0 a run that failed fails the check, though another one passed: %s', async (_what, output) => {
  expect(await checkOf(output)).toMatchObject({ status: 'failed' })
})

test('CHECK-60 what passed runs printed is left out, and nothing else', () => {
  expect(withoutPassedRuns('a\nb')).toBe('a\nb')
  expect(withoutPassedRuns(`before\n${vitest('secret')}after`)).toMatch(
    /^before\n RUN {2}v5.1.0 \/project\n Test Files[^]*after$/,
  )
  expect(withoutPassedRuns(vitest(pytest('secret')))).not.toContain('session')
  expect(withoutPassedRuns(vitest('kept', { failed: 1 }))).toContain('kept')
  const long = `${' RUN  v1\n'.repeat(20_000)}${' Test Files  x\n'.repeat(20_000)}`
  expect(withoutPassedRuns(long)).toBe(long)
})

test.each([
  ['ctest', '    Start 1: a\n1/2 Test #1: a ....   Passed    0.01 sec\n    Start 2: orders.slow\n', 'orders.slow'],
  ['go', '=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestSlow\n', 'TestSlow'],
  ['TAP', 'TAP version 13\n# Subtest: a\nok 1 - a\n# Subtest: waits for ever\n', 'waits for ever'],
  [
    'node',
    '✔ a (0.1ms)\n\nInterrupted while running:\n\n⚠ waits for ever (a.test.js:3:1)\n✖ waits for ever (9ms)\n',
    'waits for ever',
  ],
  ['pytest', 'test_a.py::test_a PASSED     [ 50%]\ntest_a.py::test_slow ', 'test_a.py::test_slow'],
  ['unittest', 'test_a (m.T.test_a) ... ok\ntest_slow (m.T.test_slow) ... ', 'test_slow (m.T.test_slow)'],
  ['Gradle', 'LoginTest > a STARTED\nLoginTest > a PASSED\nLoginTest > slow STARTED\n', 'LoginTest > slow'],
  ['cargo', 'test tests::slow has been running for over 60 seconds\n', 'tests::slow'],
  ['nothing to see', 'compiling\n', undefined],
  ['all ended', '=== RUN   TestA\n--- PASS: TestA (0.00s)\n', undefined],
])('FEED-3 of a check that ran out of time the test that hung is found: %s', (_runner, output, hung) => {
  expect(hungTest(output)).toBe(hung)
})

test('FEED-3 its failure names that test and the flag that gives it longer', async () => {
  const command = 'echo "=== RUN   TestSlow"; sleep 30'
  const slow = commandCheck({ name: 'tests', command, shell: true, timeoutMs: 2000 })
  const context = { signal: new AbortController().signal, started: async () => {}, progress: () => {} }
  const result = await slow.run({ run: 'r', iteration: 1, cwd: temporaryFolder(), tree: 't' }, context)
  const message = expect.stringMatching(/"TestSlow" began and did not end\. If it needs longer, raise --check-timeout/)
  expect(result).toMatchObject({ status: 'failed', failures: [{ kind: 'timeout', message }] })
})
