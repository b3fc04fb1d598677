import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { mochaJson, mochaText } from './mocha.ts'

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

test.each(['spec', 'dot'])('REPORT-3 mocha %s: counts, names, values, places', (reporter) => {
  const report = mochaText(fixture(`mocha-text-12-${reporter}-failed`))
  expect(report).toMatchObject({ format: 'mocha', counts: { passed: 2, failed: 9, skipped: 2 } })
  expect(report?.trouble).toBeUndefined()
  expect(report?.failures).toMatchObject([
    { id: 'reads the config', kind: 'exception', frame: 'deepPort (/project/login.js:11)', line: 11 },
    { id: 'answers in time', kind: 'timeout', file: '/project/login.test.js' },
    { id: 'is the same for both', expected: '2', received: '1' },
    { id: 'is the same for both (2)', line: 30 },
    { id: 'throws words with "quotes" & <marks>', message: 'Error: first line\nsecond "line" & <mark>' },
    { id: 'with a database > "before all" hook for "reads a row"', message: 'Error: no database' },
    { id: 'login > returns a numeric userId', kind: 'assertion', expected: '42', received: "'42'", line: 10 },
    { id: 'login > when the password is wrong > refuses # with a reason', received: 'ok: true' },
    { id: 'login > returns a numeric userId (2)', file: '/project/other.test.js', line: 5 },
  ])
})

test('REPORT-108 mocha: the tests are listed where the text names every one of them', () => {
  expect(mochaText(fixture('mocha-text-12-spec-failed'))?.tests).toHaveLength(13)
  expect(mochaText(fixture('mocha-text-12-spec-failed'))?.tests).toContainEqual({
    id: 'login > returns a name',
    outcome: 'passed',
  })
  expect(mochaText(fixture('mocha-text-12-dot-failed'))?.tests).toBeUndefined()
})

test('REPORT-109 mocha: a text that ends before the count of failures may have come is no pass', () => {
  const text = fixture('mocha-text-12-dot-failed')
  expect(mochaText(text.slice(0, text.indexOf('  2 pending')))?.trouble).toContain('closing lines')
  expect(mochaText(fixture('mocha-text-12-broken'))).toBeUndefined()
})
