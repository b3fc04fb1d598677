import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { mochaText } from './mocha-text.ts'

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
