import { expect, test } from 'vitest'
import { closingLine } from './closing-line.ts'
import { fixture } from './fixture.ts'

test('REPORT-3 vitest: counts, names, messages, values and places', () => {
  const report = closingLine(fixture('vitest-failed'))
  expect(report).toMatchObject({ format: 'vitest', counts: { passed: 2, failed: 5, skipped: 2 } })
  expect(report?.failures).toMatchObject([
    {
      id: 'broken.test.ts',
      kind: 'exception',
      file: 'broken.test.ts',
      line: 1,
      message: expect.stringContaining("Cannot find module './nowhere.ts'"),
    },
    {
      id: 'login.test.ts > login > returns a numeric userId',
      kind: 'assertion',
      file: 'login.test.ts',
      line: 8,
      expected: '42',
      received: '"42"',
    },
    {
      id: 'login.test.ts > login > when the password is wrong > refuses with a reason',
      kind: 'assertion',
      line: 12,
      received: '{ ok: true }',
    },
    {
      id: 'login.test.ts > reads the config',
      kind: 'exception',
      line: 20,
      message: "TypeError: Cannot read properties of undefined (reading 'port')",
    },
    { id: 'login.test.ts > answers in time', kind: 'timeout', line: 23 },
  ])
})

test('REPORT-3 vitest: a file that could not be loaded is a failure although no test failed', () => {
  expect(closingLine(fixture('vitest-broken-import'))).toMatchObject({
    counts: { passed: 0, failed: 1, skipped: 0 },
    failures: [{ id: 'broken.test.ts' }],
  })
})

test('REPORT-3 vitest: tests that failed in the same way share one message', () => {
  const text =
    ' FAIL  a.test.ts > one\n FAIL  a.test.ts > two\nError: boom\n ❯ a.ts:3:1\n\n⎯⎯[1/2]⎯\n\n Test Files  1 failed (1)\n      Tests  2 failed (2)\n'
  expect(closingLine(text)).toMatchObject({
    counts: { failed: 2 },
    failures: [
      { id: 'a.test.ts > one', message: 'Error: boom', line: 3 },
      { id: 'a.test.ts > two', message: 'Error: boom' },
    ],
  })
})

test('REPORT-3 node:test in its own words: full names from the tree, the rest from the list', () => {
  const report = closingLine(fixture('node-test-spec-failed'))
  expect(report).toMatchObject({ format: 'node-spec', counts: { passed: 4, failed: 6, skipped: 2 } })
  const file = '/tmp/fix/node/login.test.mjs'
  expect(report?.failures).toMatchObject([
    {
      id: 'broken.test.mjs',
      kind: 'exception',
      file: 'broken.test.mjs',
      line: 1,
      message: expect.stringContaining('Cannot find module'),
    },
    { id: 'login > returns a numeric userId', kind: 'assertion', file, line: 8, expected: '42', received: "'42'" },
    { id: 'login > when the password is wrong > refuses # with a reason', kind: 'assertion', file, line: 10 },
    {
      id: 'reads the config',
      kind: 'exception',
      file,
      line: 17,
      message: "TypeError: Cannot read properties of undefined (reading 'port')",
    },
    { id: 'answers in time', kind: 'timeout', file: 'login.test.mjs', line: 20, message: 'test timed out after 30ms' },
    { id: 'outer > inner one', kind: 'assertion', file, line: 25, expected: '/xyz/', received: "'abc'" },
  ])
})

test('REPORT-3 pytest: parameters with a dash, errors of fixtures and of collecting', () => {
  const report = closingLine(fixture('pytest-failed'))
  expect(report).toMatchObject({ format: 'pytest', counts: { passed: 2, failed: 4, skipped: 2 } })
  expect(report?.failures).toEqual([
    {
      id: 'test_login.py::TestLogin::test_numeric_user_id',
      kind: 'assertion',
      file: 'test_login.py',
      line: 8,
      expected: '42',
      received: "'42'",
      message: "AssertionError: assert '42' == 42",
    },
    {
      id: 'test_login.py::test_param[x - y]',
      kind: 'assertion',
      file: 'test_login.py',
      line: 16,
      expected: "'z'",
      received: "'x - y'",
      message: expect.any(String),
    },
    { id: 'test_login.py::test_config', kind: 'exception', file: 'test_login.py', line: 19, message: "KeyError: 'port'" },
    { id: 'test_login.py::test_uses', kind: 'exception', file: 'test_login.py', line: 26, message: 'RuntimeError: no database' },
  ])
  expect(closingLine(fixture('pytest-broken-import'))).toMatchObject({
    counts: { failed: 1 },
    failures: [{ id: 'test_broken.py', message: "ModuleNotFoundError: No module named 'nowhere'" }],
  })
})

test('REPORT-3 unittest and cargo', () => {
  expect(closingLine(fixture('unittest-failed'))).toMatchObject({
    counts: { passed: 1, failed: 2, skipped: 0 },
    failures: [
      { id: 'test_u.T.test_b', message: "KeyError: 'x'", line: 4 },
      { id: 'test_u.T.test_a', kind: 'assertion', message: 'AssertionError: 1 != 2', line: 3 },
    ],
  })
  expect(closingLine(fixture('cargo-failed'))).toMatchObject({
    counts: { passed: 1, failed: 2, skipped: 1 },
    failures: [
      { id: 'tests::config', message: 'no port', file: 'src/lib.rs', line: 6 },
      { id: 'tests::numeric_user_id', kind: 'assertion', line: 5 },
    ],
  })
})

test('REPORT-3 jest', () => {
  const text = `PASS src/ok.test.js
FAIL src/login.test.js
  ● Console

    console.log nothing

  ● login › returns a numeric userId

    expect(received).toBe(expected) // Object.is equality

    Expected: 42
    Received: "42"

      3 | test('x', () => {
    > 4 |   expect(id).toBe(42)
        |              ^

      at Object.<anonymous> (src/login.test.js:4:14)

FAIL src/broken.test.js
  ● Test suite failed to run

    Cannot find module './nowhere' from 'src/broken.test.js'

Summary of all failing tests
FAIL src/login.test.js
  ● login › returns a numeric userId

    expect(received).toBe(expected) // Object.is equality

Test Suites: 2 failed, 1 passed, 3 total
Tests:       1 failed, 1 skipped, 2 passed, 4 total
Snapshots:   0 total
`
  expect(closingLine(text)).toMatchObject({
    format: 'jest',
    counts: { passed: 2, failed: 2, skipped: 1 },
    failures: [
      {
        id: 'login > returns a numeric userId',
        kind: 'assertion',
        expected: '42',
        received: '"42"',
        file: 'src/login.test.js',
        line: 4,
      },
      { id: 'src/broken.test.js', message: "Cannot find module './nowhere' from 'src/broken.test.js'" },
    ],
  })
})

test('REPORT-3 mocha', () => {
  const text = `  login
    ✔ returns a name
    1) returns a numeric userId

  1 passing (12ms)
  1 pending
  2 failing

  1) login
       returns a numeric userId:

      AssertionError [ERR_ASSERTION]: '42' == 42
      + expected - actual

      -42
      +43

      at Context.<anonymous> (test/login.js:4:10)

  2) flat:
     Error: boom
      at Context.<anonymous> (test/login.js:9:3)

`
  expect(closingLine(text)).toMatchObject({
    format: 'mocha',
    counts: { passed: 1, failed: 2, skipped: 1 },
    failures: [
      {
        id: 'login > returns a numeric userId',
        kind: 'assertion',
        expected: '43',
        received: '42',
        file: 'test/login.js',
        line: 4,
      },
      { id: 'flat', kind: 'exception', message: 'Error: boom', line: 9 },
    ],
  })
})

test('REPORT-3 go: leaves only, a package that does not build, packages that passed', () => {
  const text = `# example.com/broken
./broken.go:3:5: undefined: x
--- FAIL: TestLogin (0.00s)
    --- FAIL: TestLogin/numeric (0.00s)
        login_test.go:12: got "42", want 42
FAIL
FAIL\texample.com/login\t0.003s
ok  \texample.com/other\t(cached)
FAIL\texample.com/broken [build failed]
FAIL
`
  expect(closingLine(text)).toMatchObject({
    format: 'go',
    counts: { passed: 1, failed: 2, skipped: 0 },
    failures: [
      { id: 'TestLogin > numeric', kind: 'assertion', file: 'login_test.go', line: 12, expected: '42', received: '"42"' },
      { id: 'example.com/broken', kind: 'compile', file: 'broken.go', line: 3 },
    ],
  })
  expect(closingLine('panic: out of cheese\nFAIL\texample.com/a\t0.1s\n')).toMatchObject({ counts: { failed: 1 }, failures: [] })
})

test('REPORT-3 rspec', () => {
  const text = `Failures:

  1) Login returns a numeric userId
     Failure/Error: expect(user_id).to eq(42)

       expected: 42
            got: "42"

     # ./spec/login_spec.rb:5:in 'block (2 levels)'

Finished in 0.01 seconds (files took 0.1 seconds to load)
3 examples, 1 failure, 1 pending

Failed examples:

rspec ./spec/login_spec.rb:4 # Login returns a numeric userId
`
  expect(closingLine(text)).toMatchObject({
    format: 'rspec',
    counts: { passed: 1, failed: 1, skipped: 1 },
    failures: [
      {
        id: 'Login returns a numeric userId',
        kind: 'assertion',
        file: 'spec/login_spec.rb',
        line: 4,
        expected: '42',
        received: '"42"',
      },
    ],
  })
})

test('REPORT-4 passes are read as passes', () => {
  for (const name of ['vitest-passed', 'node-test-spec-passed', 'pytest-passed']) {
    expect(closingLine(fixture(name))).toMatchObject({ counts: { passed: 1, failed: 0, skipped: 0 }, failures: [] })
  }
})

test('REPORT-4 a later success never hides a failure, of the same runner or of another', () => {
  const both = `${fixture('vitest-failed')}\n${fixture('vitest-passed')}\n${fixture('pytest-passed')}`
  expect(closingLine(both)).toMatchObject({ format: 'vitest+pytest', counts: { passed: 4, failed: 5, skipped: 2 } })
})

test('REPORT-4 text without a closing line is left to others', () => {
  for (const text of [
    '',
    '3 failed',
    'Tests are fine',
    fixture('tsc-failed'),
    fixture('cargo-compile-error'),
    fixture('vitest-no-tests'),
  ]) {
    expect(closingLine(text)).toBeUndefined()
  }
})
