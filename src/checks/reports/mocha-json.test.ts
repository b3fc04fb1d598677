import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { mochaJson } from './mocha-json.ts'

const file = '/project/login.test.js'

test('REPORT-100 mocha as JSON: failures with place, values, kind and own frame, a failed hook among them', () => {
  const report = mochaJson(fixture('mocha-json-12-failed'))
  expect(report).toMatchObject({ format: 'mocha-json', counts: { passed: 2, failed: 9, skipped: 2 } })
  expect(report?.trouble).toBeUndefined()
  expect(report?.failures).toMatchObject([
    { id: `${file} > reads the config`, kind: 'exception', frame: 'deepPort (/project/login.js:11)', line: 11 },
    { id: `${file} > answers in time`, kind: 'timeout', file },
    { id: `${file} > is the same for both`, expected: '2', received: '1' },
    { id: `${file} > is the same for both (2)`, line: 30 },
    { id: `${file} > throws words with "quotes" & <marks>`, kind: 'exception' },
    { id: '/project/hook.test.js > with a database > "before all" hook for "reads a row"', line: 5 },
    { id: `${file} > login > returns a numeric userId`, kind: 'assertion', expected: '42', received: "'42'", line: 10 },
    { id: `${file} > login when the password is wrong > refuses # with a reason`, received: '{\n  "ok": true\n}' },
    { id: '/project/other.test.js > login > returns a numeric userId', file: '/project/other.test.js', line: 5 },
  ])
  expect(report?.tests).toHaveLength(13)
})

test('REPORT-102 mocha as JSON: a report whose lists are shorter than it counts is no pass', () => {
  const passed = fixture('mocha-json-12-passed')
  expect(mochaJson(passed)).toMatchObject({ counts: { passed: 1, failed: 0 }, failures: [], tests: [{ outcome: 'passed' }] })
  expect(mochaJson(passed.replace('"failures": 0', '"failures": 1'))?.trouble).toContain('counts 1 failures but lists 0')
})

test('REPORT-103 mocha as JSON: cut off before its list of failures, the errors are taken from the list of all tests', () => {
  const text = fixture('mocha-json-12-failed')
  const report = mochaJson(text.slice(0, text.indexOf('"pending": [')))
  expect(report?.trouble).toContain('cut off')
  expect(report?.failures.length).toBeGreaterThanOrEqual(7)
})
