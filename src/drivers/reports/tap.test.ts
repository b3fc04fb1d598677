import { expect, test } from 'vitest'
import { fixture } from './fixture.ts'
import { tap } from './tap.ts'

test('REPORT-1 node:test: every failed leaf is a failure, by its full name, with place and values', () => {
  const report = tap(fixture('node-test-tap-failed'))
  expect(report?.counts).toEqual({ passed: 4, failed: 6, skipped: 2 })
  const file = '/tmp/fix/node/login.test.mjs'
  expect(report?.failures).toEqual([
    {
      id: 'broken.test.mjs',
      kind: 'exception',
      file: '/tmp/fix/node/broken.test.mjs',
      line: 1,
      message: expect.stringMatching(/^test failed\nError \[ERR_MODULE_NOT_FOUND\]/),
    },
    {
      id: 'login > returns a numeric userId',
      kind: 'assertion',
      file,
      line: 8,
      expected: '42',
      received: "'42'",
      message: expect.stringContaining("'42' !== 42"),
    },
    {
      id: 'login > when the password is wrong > refuses # with a reason',
      kind: 'assertion',
      file,
      line: 10,
      expected: "{ ok: false, reason: 'wrong password' }",
      received: '{ ok: true }',
      message: expect.stringContaining('deep-equal'),
    },
    {
      id: 'reads the config',
      kind: 'exception',
      file,
      line: 17,
      message: "Cannot read properties of undefined (reading 'port')",
    },
    { id: 'answers in time', kind: 'timeout', file, line: 20, message: 'test timed out after 30ms' },
    { id: 'outer > inner one', kind: 'assertion', file, line: 25, received: "'abc'", message: expect.stringContaining('/xyz/') },
  ])
})

test('REPORT-1 vitest: buffered subtests are read as well', () => {
  const report = tap(fixture('vitest-tap-failed'))
  expect(report?.counts).toEqual({ passed: 2, failed: 5, skipped: 2 })
  expect(report?.failures[1]).toMatchObject({
    id: 'login.test.ts > login > returns a numeric userId',
    expected: '42',
    received: '"42"',
    line: 8,
  })
})

test('REPORT-1 a pass is read as a pass', () => {
  expect(tap(fixture('node-test-tap-passed'))).toEqual({
    format: 'tap',
    counts: { passed: 1, failed: 0, skipped: 0 },
    failures: [],
  })
})

test('REPORT-2 a suite that failed for a reason of its own is a failure; one marked as to do is none', () => {
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
  expect(todo).toMatchObject({ counts: { passed: 0, failed: 0 }, failures: [] })
})

test('REPORT-2 a run that breaks its plan or bails out is not a pass', () => {
  expect(tap('TAP version 13\n1..3\nok 1 - a\nok 2 - b\n')).toMatchObject({
    counts: { passed: 2, failed: 1 },
    failures: [{ id: 'TAP plan' }],
  })
  expect(tap('TAP version 13\nok 1 - a\n')).toMatchObject({ failures: [{ id: 'TAP plan' }] })
  expect(tap('TAP version 13\nok 1 - a\nBail out! no database\n')).toMatchObject({
    failures: [{ id: 'Bail out', message: 'no database' }],
  })
})

function cut(closing: string): string {
  return `TAP version 13\nok 1 - a\n[… 1,000 bytes cut …]\nok 900 - z\n1..900\n${closing}`
}

test('REPORT-2 where the output was cut the plan proves nothing, but the closing comments still count', () => {
  expect(tap(cut(''))).toMatchObject({ counts: { passed: 2, failed: 0 }, failures: [] })
  expect(tap(cut('# pass 897\n# fail 2\n# cancelled 1\n'))).toMatchObject({ counts: { failed: 3 }, failures: [] })
})

test('REPORT-2 documents after each other are added up, so that a later pass hides nothing', () => {
  const report = tap(`> npm test -w a\n${fixture('node-test-tap-failed')}\n> npm test -w b\n${fixture('node-test-tap-passed')}`)
  expect(report?.counts).toEqual({ passed: 5, failed: 6, skipped: 2 })
})

test('REPORT-2 what is not TAP is left to others', () => {
  for (const text of [
    '',
    'ok then',
    'from 1..9',
    'not ok 1 - only a line',
    fixture('node-test-spec-failed'),
    fixture('vitest-failed'),
  ]) {
    expect(tap(text)).toBeUndefined()
  }
})
