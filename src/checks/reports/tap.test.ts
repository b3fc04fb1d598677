import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { proveText, tap } from './tap.ts'

const file = '/project/login.test.js'

test('REPORT-1 node:test: every failed leaf is a failure, by its full name, with place, values and own frame', () => {
  const report = tap(fixture('node-tap-24-failed'))
  expect(report?.counts).toEqual({ passed: 3, failed: 12, skipped: 2 })
  expect(report?.trouble).toBeUndefined()
  expect(report?.failures).toMatchObject([
    { id: 'broken.test.js', kind: 'compile', file: '/project/broken.test.js', message: expect.stringContaining('SyntaxError') },
    { id: 'with a database > reads a row', file: '/project/hook.test.js', line: 8 },
    { id: 'with a database', kind: 'exception', message: 'no database', line: 6 },
    {
      id: 'login > returns a numeric userId',
      kind: 'assertion',
      file,
      line: 11,
      expected: '42',
      received: "'42'",
      message: expect.stringContaining("'42' !== 42"),
    },
    {
      id: 'login > when the password is wrong > refuses # with a reason',
      kind: 'assertion',
      line: 15,
      expected: "{ ok: false, reason: 'wrong password' }",
      received: '{ ok: true }',
    },
    {
      id: 'reads the config',
      kind: 'exception',
      file: '/project/login.js',
      line: 11,
      frame: 'deepPort (/project/login.js:11)',
      message: "Cannot read properties of undefined (reading 'port')",
    },
    { id: 'answers in time', kind: 'timeout', file, line: 24, message: 'test timed out after 30ms' },
    { id: 'is the same for both', line: 30 },
    { id: 'is the same for both (2)', line: 30 },
    { id: 'throws words with "quotes" & <marks>', kind: 'exception', message: 'first line\nsecond "line" & <mark>' },
    { id: 'outer > inner one', kind: 'assertion', line: 43, received: "'abc'" },
    { id: 'login > returns a numeric userId (2)', expected: "[ 'a', 'x', 'c' ]", received: "[ 'a', 'b', 'c' ]" },
  ])
})

test.each(['5', '3'])('REPORT-1 vitest %s: buffered subtests are read as well, values of several lines too', (version) => {
  const report = tap(fixture(`vitest-tap-${version}-failed`))
  expect(report?.counts).toEqual({ passed: 2, failed: 10, skipped: 3 })
  const failures = new Map(report?.failures.map((failure) => [failure.id, failure]))
  expect(failures.get('login.test.js > login > returns a numeric userId')).toMatchObject({
    expected: '42',
    received: expect.stringContaining('42'),
    line: 10,
  })
  expect(failures.get('login.test.js > login > when the password is wrong > refuses # with a reason')).toMatchObject({
    kind: 'assertion',
    line: 14,
    expected: expect.stringContaining('{\n  "ok": false,\n  "reason": "wrong password",\n}'),
  })
  expect(failures.get('login.test.js > answers in time')).toMatchObject({ kind: 'timeout' })
})

test('REPORT-107 tape: an assertion is named after the test above it', () => {
  const report = tap(fixture('tape-5-failed'))
  expect(report?.counts).toEqual({ passed: 1, failed: 5, skipped: 1 })
  expect(report?.failures).toMatchObject([
    { id: 'login > returns a numeric userId', kind: 'assertion', expected: '42', received: "'42'", file, line: 6 },
    { id: 'when the password is wrong > refuses # with a reason', received: '{ ok: true }' },
    { id: 'answers in time > answers in time timed out after 30ms', kind: 'timeout' },
    { id: 'reads the config > should not throw', frame: 'deepPort (/project/login.js:11)' },
    { id: 'reads the config > .end() already called' },
  ])
})

test('REPORT-107 node-tap: what a test threw or its timeout is a failure of that test', () => {
  const report = tap(fixture('tap-21-failed'))
  expect(report?.counts).toEqual({ passed: 1, failed: 4, skipped: 2 })
  expect(report?.failures).toMatchObject([
    { id: 'login > returns a numeric userId', kind: 'assertion', expected: '42', received: "'42'", line: 6 },
    { id: 'login > when the password is wrong > refuses # with a reason', received: '"ok": true,' },
    { id: 'answers in time', kind: 'timeout' },
    { id: 'reads the config', kind: 'exception', frame: 'deepPort (login.js:11)' },
  ])
})

test('REPORT-107 mocha: the plain lines under a failed test are its reason', () => {
  const report = tap(fixture('mocha-tap-12-failed'))
  expect(report?.counts).toEqual({ passed: 2, failed: 9, skipped: 2 })
  expect(report?.trouble).toBeUndefined()
  expect(report?.failures).toMatchObject([
    { id: 'reads the config', kind: 'exception', frame: 'deepPort (/project/login.js:11)' },
    { id: 'answers in time', kind: 'timeout' },
    { expected: '2', received: '1' },
    { id: 'is the same for both (2)' },
    { message: 'Error: first line\nsecond "line" & <mark>' },
    { message: 'Error: no database' },
    { expected: '42', received: "'42'" },
    { kind: 'assertion' },
    { kind: 'assertion' },
  ])
})

test('REPORT-1 every test is listed with its outcome, a failed one by the id of its failure', () => {
  for (const [name, count] of [
    ['node-tap-24', 17],
    ['vitest-tap-5', 15],
    ['tape-5', 7],
    ['tap-21', 7],
    ['mocha-tap-12', 13],
  ] as const) {
    const report = tap(fixture(`${name}-failed`))
    expect(report?.tests).toHaveLength(count)
    const failed = report?.tests?.filter((each) => each.outcome === 'failed').map((each) => each.id)
    expect(failed).toEqual(report?.failures.map((failure) => failure.id))
  }
})

test('REPORT-1 a pass is read as a pass', () => {
  for (const name of ['node-tap-24', 'mocha-tap-12', 'tape-5', 'tap-21']) {
    const report = tap(fixture(`${name}-passed`))
    expect(report).toMatchObject({ format: 'tap', counts: { passed: 1, failed: 0, skipped: 0 }, failures: [] })
    expect(report?.trouble).toBeUndefined()
  }
})

test('REPORT-2 a suite that failed for its own reason is a failure; one marked as to do isn’t', () => {
  const own = tap(`TAP version 13
# Subtest: suite
    ok 1 - fine
    1..1
not ok 1 - suite
  ---
  failureType: 'hookFailed'
  error: 'after hook failed'
  ...
1..1`)
  expect(own).toMatchObject({ counts: { passed: 1, failed: 1 }, failures: [{ id: 'suite', message: 'after hook failed' }] })
  const todo = tap(
    'TAP version 13\n# Subtest: later\n    not ok 1 - not yet\n    1..1\nnot ok 1 - later # TODO\nnot ok 2 - soon # TODO\n1..2',
  )
  expect(todo).toMatchObject({ counts: { passed: 0, failed: 0, skipped: 2 }, failures: [] })
})

test('REPORT-2 a run that breaks its plan or bails out is not a pass', () => {
  expect(tap('TAP version 13\n1..3\nok 1 - a\nok 2 - b\n')).toMatchObject({
    counts: { passed: 2, failed: 1 },
    failures: [{ id: 'TAP plan' }],
  })
  for (const text of ['TAP version 13\nok 1 - a\n', 'TAP version 13\n', 'TAP version 13\n# a\n']) {
    expect(tap(text)).toMatchObject({ failures: [{ id: 'TAP plan' }], trouble: expect.stringContaining('plan') })
  }
  expect(tap('TAP version 13\nok 1 - a\nBail out! no database\n')).toMatchObject({
    failures: [{ id: 'Bail out', message: 'no database' }],
  })
})

function cut(closing: string): string {
  return `TAP version 13\nok 1 - a\n[… 1,000 bytes cut …]\nok 900 - z\n1..900\n${closing}`
}

test('REPORT-2 where the output was cut the plan proves nothing, but the closing comments still count', () => {
  expect(tap(cut(''))).toMatchObject({ counts: { passed: 2, failed: 0 }, failures: [], trouble: expect.any(String) })
  expect(tap(cut('# pass 897\n# fail 2\n# cancelled 1\n'))).toMatchObject({ counts: { passed: 897, failed: 3 }, failures: [] })
  const passed = tap(cut('# pass 900\n# fail 0\n'))
  expect(passed).toEqual({ format: 'tap', counts: { passed: 900, failed: 0, skipped: 0 }, failures: [] })
})

test('REPORT-2 documents after each other are added up, so that a later pass hides nothing', () => {
  const report = tap(`> npm test -w a\n${fixture('node-tap-24-failed')}\n> npm test -w b\n${fixture('node-tap-24-passed')}`)
  expect(report?.counts).toEqual({ passed: 4, failed: 12, skipped: 2 })
})

test('REPORT-2 a document without a version line after another one is read too, its plan before or after its tests', () => {
  const failing = 'not ok 1 - x\n'
  expect(tap(`ok 1 - a\n1..1\n# pass 1\n${failing}1..1\n`)).toMatchObject({
    counts: { passed: 1, failed: 1 },
    failures: [{ id: 'x' }],
  })
  expect(tap(`1..1\nok 1 - a\n1..1\n${failing}`)).toMatchObject({ counts: { passed: 1, failed: 1 }, failures: [{ id: 'x' }] })
})

test('SECRET-53 a message or a value that begins with the mark of a secret is read as the words it is', () => {
  const point = 'not ok 1 - a\n  ---\n  message: [redacted: KEY] is "wrong"\n  expected: [redacted: KEY]\n  actual: no\n  ...\n'
  expect(tap(`TAP version 13\n${point}1..1\n`)?.failures).toMatchObject([
    { message: '[redacted: KEY] is "wrong"', expected: '[redacted: KEY]', received: "'no'" },
  ])
})

test('REPORT-2 what is not TAP is left to others', () => {
  for (const text of [
    '',
    'ok then',
    'from 1..9',
    'not ok 1 - only a line',
    fixture('node-text-24-failed'),
    fixture('vitest-text-5-failed'),
  ]) {
    expect(tap(text)).toBeUndefined()
  }
})

test('REPORT-127 prove --verbose: the line that closes each file is no test', () => {
  const failed = tap(fixture('tap-prove-3-failed'))
  expect(failed?.counts).toEqual({ passed: 3, failed: 1, skipped: 2 })
  expect(failed?.failures).toMatchObject([{ id: 'adds' }])
  expect(tap(fixture('tap-prove-3-passed'))).toMatchObject({ counts: { passed: 2, failed: 0 }, failures: [] })
  expect(tap(fixture('tap-prove-3-passed'))?.trouble).toBeUndefined()
})

const FAILED = `a.t .. ok
Test Summary Report
-------------------
b.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
  Failed test:  2
  Non-zero exit status: 1
c.t (Wstat: 65280 (exited 255) Tests: 1 Failed: 0)
  Non-zero exit status: 255
  Parse errors: No plan found in TAP output
d.t (Wstat: 0 Tests: 2 Failed: 0)
  TODO passed:   2
Files=4, Tests=8,  1 wallclock secs ( 0.02 usr  0.01 sys =  0.19 CPU)
Result: FAIL
`

test('REPORT-174 prove: the files that failed are named, also one whose tests all passed', () => {
  expect(proveText(FAILED)).toMatchObject({
    counts: { passed: 7, failed: 2 },
    failures: [
      { id: 'b.t', file: 'b.t', message: 'Failed test:  2\nNon-zero exit status: 1' },
      { id: 'c.t', message: expect.stringContaining('No plan') },
    ],
  })
})

test('REPORT-174 prove: what passed has no failures, what failed has one though no file is named', () => {
  const passed = 'Files=1, Tests=3,  0 wallclock secs\nResult: PASS\n'
  expect(proveText(passed)).toMatchObject({ counts: { passed: 3, failed: 0 }, failures: [] })
  expect(proveText(passed.replace('PASS', 'FAIL'))).toMatchObject({ counts: { failed: 1 } })
  expect(proveText('Result: FAIL')).toBeUndefined()
})
