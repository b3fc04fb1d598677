import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { closingLine } from './closing-line.ts'
import { nodeDotText, nodeSpecText } from './node-test.ts'

test('REPORT-3 node:test in its own words: full names from the tree, the rest from the list', () => {
  const report = nodeSpecText(fixture('node-text-24-failed'))
  const file = '/project/login.test.js'
  expect(report).toMatchObject({ format: 'node', counts: { passed: 3, failed: 12, skipped: 2 } })
  expect(report?.trouble).toBeUndefined()
  expect(report?.failures).toMatchObject([
    { id: 'broken.test.js', kind: 'compile', file: 'broken.test.js', message: expect.stringContaining('SyntaxError') },
    { id: 'with a database > reads a row', file: 'hook.test.js', line: 8 },
    { id: 'with a database', kind: 'exception', message: 'Error: no database' },
    { id: 'login > returns a numeric userId', kind: 'assertion', file, line: 11, expected: '42', received: "'42'" },
    { id: 'login > when the password is wrong > refuses # with a reason', kind: 'assertion', file, line: 15 },
    { id: 'reads the config', kind: 'exception', frame: 'deepPort (/project/login.js:11)' },
    { id: 'answers in time', kind: 'timeout', file: 'login.test.js', line: 24, message: 'test timed out after 30ms' },
    { id: 'is the same for both', line: 30 },
    { id: 'is the same for both (2)', line: 30 },
    { id: 'throws words with "quotes" & <marks>', kind: 'exception' },
    { id: 'outer > inner one', kind: 'assertion', file, line: 43, expected: '/xyz/', received: "'abc'" },
    { id: 'login > returns a numeric userId (2)', file: '/project/other.test.js' },
  ])
})

test('REPORT-108 node:test: the tree lists the other tests as well', () => {
  const tests = nodeSpecText(fixture('node-text-24-failed'))?.tests
  expect(tests).toHaveLength(17)
  expect(tests).toContainEqual({ id: 'outer > inner two', outcome: 'passed' })
  expect(tests).toContainEqual({ id: 'is still to be written', outcome: 'skipped' })
})

test('REPORT-109 node:test: a text that ends before its closing lines do is no pass', () => {
  const passed = fixture('node-text-24-passed')
  expect(nodeSpecText(passed.slice(0, passed.indexOf('ℹ cancelled')))?.trouble).toContain('closing lines')
})

const CLOSING = 'ℹ tests 4\nℹ suites 0\nℹ pass 1\nℹ fail FAILED\nℹ cancelled 0\nℹ skipped 0\nℹ todo 2\nℹ duration_ms 9.5\n'

test('REPORT-171 node:test: a test that is to be written yet is skipped, also where Node 20 lists it as failed', () => {
  const tests = '✔ works (1.6ms)\n✖ not yet (1.2ms) # TODO\n✖ b (1.2ms) # because (x)\n'
  const list =
    '\n✖ failing tests:\n\ntest at a.mjs:3:1\n✖ not yet (1.2ms) # TODO\n  Error: no\n\ntest at a.mjs:4:1\n✖ b (1.2ms) # because (x)\n  Error: no\n'
  const report = nodeSpecText(tests + CLOSING.replace('FAILED', '0') + list)
  expect(report).toMatchObject({ counts: { passed: 1, failed: 0, skipped: 2 }, failures: [] })
  expect(report?.tests).toContainEqual({ id: 'b', outcome: 'skipped' })
  const failed = nodeSpecText(
    `✖ not # yet (1.2ms)\n${CLOSING.replace('FAILED', '1')}${list}\ntest at a.mjs:5:1\n✖ not # yet (1.2ms)\n  Error: no\n`,
  )
  expect(failed?.failures).toMatchObject([{ id: 'not # yet' }])
})

test('REPORT-171 node:test: one closing line that a test prints counts nothing', () => {
  expect(nodeSpecText(`ℹ fail 2\n✔ works (1.6ms)\n${CLOSING.replace('FAILED', '0')}`)).toMatchObject({ counts: { failed: 0 } })
})

const FAILED = `.X.
X

Failed tests:

✖ inner a (11.49ms)
  Error: 429 Too Many Requests
      at TestContext.<anonymous> (file:///project/fail.test.mjs:2:147)
✖ outer (23.5ms)
  '2 subtests failed'
✖ str (0.3ms)
  'just a string'
✖ not yet (1.2ms) # later
  Error: no
`

test('REPORT-173 node:test with dots: names failed tests, but no suite and no to-do test', () => {
  expect(nodeDotText(FAILED)).toMatchObject({
    format: 'node',
    counts: { passed: 2, failed: 2 },
    failures: [
      { id: 'inner a', kind: 'exception', message: 'Error: 429 Too Many Requests' },
      { id: 'str', message: 'just a string' },
    ],
  })
  expect(closingLine(FAILED)?.counts.failed).toBe(2)
})

test('REPORT-173 dots alone, and words alone, are no report', () => {
  expect(nodeDotText('....\n')).toBeUndefined()
  expect(nodeDotText('Failed tests:\n\n✖ a (1ms)\n')).toBeUndefined()
})
