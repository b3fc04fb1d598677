import { expect, test } from 'vitest'
import { fixture } from './fixture.ts'
import { nodeSpecText } from './node-spec-text.ts'

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
