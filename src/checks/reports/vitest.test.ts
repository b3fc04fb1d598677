import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { vitestJson, vitestText } from './vitest.ts'

const file = '/project/login.test.js'

test.each(['5', '3'])('REPORT-100 vitest %s as JSON: every failure with its place, values, kind and own frame', (version) => {
  const report = vitestJson(fixture(`vitest-json-${version}-failed`))
  expect(report).toMatchObject({ format: 'vitest-json', counts: { passed: 2, failed: 10, skipped: 3 } })
  expect(report?.trouble).toBeUndefined()
  expect(report?.failures).toMatchObject([
    { id: '/project/broken.test.js', kind: 'compile', message: expect.stringContaining('Unexpected token') },
    { id: '/project/hook.test.js', file: '/project/hook.test.js', message: expect.stringContaining('hook') },
    { id: `${file} > login > returns a numeric userId`, kind: 'assertion', file, line: 10, expected: '42', received: "'42'" },
    {
      id: `${file} > login > when the password is wrong > refuses # with a reason`,
      kind: 'assertion',
      line: 14,
      expected: "{ ok: false, reason: 'wrong password' }",
      received: '{ ok: true }',
    },
    {
      id: `${file} > reads the config`,
      kind: 'exception',
      file: '/project/login.js',
      line: 11,
      frame: 'deepPort (/project/login.js:11)',
      message: "TypeError: Cannot read properties of undefined (reading 'port')",
    },
    { id: `${file} > answers in time`, kind: 'timeout', file, line: 23 },
    { id: `${file} > is the same for both`, kind: 'assertion' },
    { id: `${file} > is the same for both (2)`, kind: 'assertion' },
    {
      id: `${file} > throws words with "quotes" & <marks>`,
      kind: 'exception',
      message: expect.stringContaining('second "line"'),
    },
    { id: '/project/other.test.js > login > returns a numeric userId', expected: "[ 'a', 'x', 'c' ]" },
  ])
})

test('REPORT-101 vitest as JSON: the tests that passed and were left out are listed, a failed one by the id of its failure', () => {
  const report = vitestJson(fixture('vitest-json-5-failed'))
  expect(report?.tests).toHaveLength(15)
  expect(report?.tests).toContainEqual({ id: `${file} > login > returns a name`, outcome: 'passed' })
  expect(report?.tests).toContainEqual({ id: `${file} > is still to be written`, outcome: 'skipped' })
  const failed = report?.tests?.filter((each) => each.outcome === 'failed').map((each) => each.id)
  expect(failed?.toSorted()).toEqual(report?.failures.map((failure) => failure.id).toSorted())
  expect(vitestJson(fixture('vitest-json-5-passed'))).toEqual({
    format: 'vitest-json',
    counts: { passed: 1, failed: 0, skipped: 0 },
    failures: [],
    tests: [{ id: '/project/passing.test.js > adds', outcome: 'passed' }],
  })
})

test('REPORT-102 a report that contradicts itself is no pass: fewer tests than it counts, a failed run without a failure', () => {
  const passed = fixture('vitest-json-5-passed')
  expect(vitestJson(passed.replace('"numTotalTests":1', '"numTotalTests":2'))?.trouble).toContain('counts 2 tests but lists 1')
  expect(vitestJson(passed.replace('"success":true', '"success":false'))?.trouble).toContain('names no failure')
  expect(vitestJson(passed.replace('"testResults":[', '"results":['))?.trouble).toContain('no list of test files')
})

test.each(['text-5', 'text-3', 'verbose-5', 'verbose-3', 'colour-5', 'colour-3'])(
  'REPORT-3 vitest %s: counts, names, values, places',
  (kind) => {
    const report = vitestText(fixture(`vitest-${kind}-failed`))
    expect(report).toMatchObject({ format: 'vitest', counts: { passed: 2, failed: 10, skipped: 3 } })
    expect(report?.trouble).toBeUndefined()
    expect(report?.failures).toMatchObject([
      { id: 'broken.test.js', kind: 'compile', file: 'broken.test.js', line: 4 },
      { id: 'hook.test.js > with a database', kind: 'exception', line: 5, message: 'Error: no database' },
      {
        id: 'login.test.js > login > returns a numeric userId',
        kind: 'assertion',
        file: 'login.test.js',
        line: 10,
        expected: '42',
      },
      { id: 'login.test.js > login > when the password is wrong > refuses # with a reason', line: 14, received: '{ ok: true }' },
      { id: 'login.test.js > reads the config', kind: 'exception', line: 11, frame: 'deepPort (login.js:11)' },
      { id: 'login.test.js > answers in time', kind: 'timeout', line: 23 },
      { id: 'login.test.js > is the same for both', message: expect.stringContaining('expected 1 to be 2') },
      { id: 'login.test.js > is the same for both (2)', message: expect.stringContaining('expected 1 to be 2') },
      { id: 'login.test.js > throws words with "quotes" & <marks>', kind: 'exception' },
      { id: 'other.test.js > login > returns a numeric userId', line: 5 },
    ])
  },
)

test('REPORT-108 vitest: the tests are listed where the text names every one of them, and only there', () => {
  expect(vitestText(fixture('vitest-verbose-5-failed'))?.tests).toHaveLength(15)
  expect(vitestText(fixture('vitest-verbose-5-failed'))?.tests).toContainEqual({
    id: 'passing.test.js > adds',
    outcome: 'passed',
  })
  expect(vitestText(fixture('vitest-text-5-failed'))?.tests).toBeUndefined()
})

test('REPORT-109 vitest: a text that ends before its closing lines do is no pass', () => {
  const passed = fixture('vitest-text-5-passed')
  expect(vitestText(passed.slice(0, passed.indexOf('   Start at')))?.trouble).toContain('closing lines')
})
