import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { vitestText } from './vitest-text.ts'

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
