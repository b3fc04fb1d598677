import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { jestJson, jestText } from './jest.ts'
import { vitestJson } from './vitest.ts'

test.each(['30', '29'])(
  'REPORT-100 jest %s as JSON, in the midst of its text: failures with place, values, kind and own frame',
  (version) => {
    const text = fixture(`jest-json-${version}-failed`)
    const file = '/project/login.test.js'
    const report = jestJson(text)
    expect(report).toMatchObject({ format: 'jest-json', counts: { passed: 2, failed: 10, skipped: 2 } })
    expect(report?.trouble).toBeUndefined()
    const failures = new Map(report?.failures.map((failure) => [failure.id, failure]))
    expect(failures.size).toBe(10)
    expect(failures.get(`${file} > login > returns a numeric userId`)).toMatchObject({
      kind: 'assertion',
      line: 9,
      expected: '42',
      received: "'42'",
      message: expect.not.stringContaining('    at '),
    })
    expect(failures.get(`${file} > reads the config`)).toMatchObject({ kind: 'exception', file: '/project/login.js', line: 11 })
    expect(failures.get(`${file} > answers in time`)).toMatchObject({ kind: 'timeout', file, line: 22 })
    expect(failures.get('/project/hook.test.js > with a database > reads a row')).toMatchObject({ kind: 'exception', line: 3 })
    expect(failures.get('/project/broken.test.js')).toMatchObject({
      kind: 'compile',
      line: 2,
      message: 'SyntaxError: /project/broken.test.js: Unexpected token (2:8)',
    })
    expect(report?.tests).toHaveLength(14)
    expect(vitestJson(text)).toBeUndefined()
  },
)

test('REPORT-101 jest as JSON: a pass is read as a pass', () => {
  expect(jestJson(fixture('jest-json-30-passed'))).toEqual({
    format: 'jest-json',
    counts: { passed: 1, failed: 0, skipped: 0 },
    failures: [],
    tests: [{ id: '/project/passing.test.js > adds', outcome: 'passed' }],
  })
})

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
