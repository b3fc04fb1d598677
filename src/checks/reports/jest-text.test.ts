import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { jestText } from './jest-text.ts'

const KINDS = ['text-30', 'text-29', 'verbose-30', 'verbose-29', 'colour-30', 'colour-29']

test.each(KINDS)('REPORT-3 jest %s: counts, names, values, places', (kind) => {
  const report = jestText(fixture(`jest-${kind}-failed`))
  expect(report).toMatchObject({ format: 'jest', counts: { passed: 2, failed: 10, skipped: 2 } })
  const failures = new Map(report?.failures.map((failure) => [failure.id, failure]))
  expect(failures.size).toBe(10)
  expect(failures.get('login.test.js > login > returns a numeric userId')).toMatchObject({
    kind: 'assertion',
    file: 'login.test.js',
    line: 9,
    expected: '42',
    received: '"42"',
  })
  expect(failures.get('login.test.js > login > when the password is wrong > refuses # with a reason')).toMatchObject({ line: 13 })
  expect(failures.get('login.test.js > reads the config')).toMatchObject({ kind: 'exception', file: 'login.js', line: 11 })
  expect(failures.get('login.test.js > answers in time')).toMatchObject({ kind: 'timeout', line: 22 })
  expect(failures.get('hook.test.js > with a database > reads a row')).toMatchObject({
    kind: 'exception',
    message: 'no database',
  })
  expect(failures.get('broken.test.js')).toMatchObject({ kind: 'compile', file: 'broken.test.js', line: 2 })
})

test('REPORT-3 jest: the summary that long runs end with repeats nothing', () => {
  const text = fixture('jest-text-30-failed')
  const closing = text.indexOf('Test Suites: ')
  const repeated = `${text.slice(0, closing)}Summary of all failing tests\n${text}`
  expect(jestText(repeated)?.failures).toEqual(jestText(text)?.failures)
})

test('REPORT-108 jest: the tests are listed where the text names every one of them', () => {
  expect(jestText(fixture('jest-verbose-30-failed'))?.tests).toHaveLength(14)
  expect(jestText(fixture('jest-verbose-30-failed'))?.tests).toContainEqual({
    id: 'login.test.js > login > returns a name',
    outcome: 'passed',
  })
  expect(jestText(fixture('jest-text-30-failed'))?.tests).toBeUndefined()
})
