import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { jestJson } from './jest-json.ts'
import { vitestJson } from './vitest-json.ts'

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
