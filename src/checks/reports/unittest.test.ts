import { expect, test } from 'vitest'
import { recorded } from '../../../test/support/recorded-report.ts'
import { unittestText } from './unittest.ts'

test.each(['failed', 'verbose'])(
  'REPORT-157 unittest (%s): subtests, broken set-ups and imports, unexpected successes',
  (how) => {
    const report = unittestText(recorded(`unittest-text-3.11-${how}.txt`))
    expect(report).toMatchObject({ format: 'unittest', counts: { passed: 1, failed: 7, skipped: 2 } })
    expect(report?.failures).toMatchObject([
      { id: 'test_broken', message: "ModuleNotFoundError: No module named 'nowhere'", file: '/project/test_broken.py', line: 1 },
      { id: 'test_login.Database.setUpClass', message: 'RuntimeError: no database' },
      { id: 'test_login.Login.test_reads_the_config', kind: 'exception', frame: 'read (/project/login.py:6)' },
      { id: 'test_login.Login.test_each (number=2)', message: 'AssertionError: 2 != 1', expected: '1', received: '2' },
      { id: 'test_login.Login.test_lists', expected: '[1, 3, 3]', received: '[1, 2, 3]' },
      { id: 'test_login.Login.test_numeric_user_id', kind: 'assertion', expected: '42', received: "'42'", line: 8 },
      { id: 'test_login.Login.test_done_by_now', kind: 'assertion' },
    ])
    expect(report?.trouble).toBeUndefined()
    expect(report?.tests?.length).toBe(how === 'verbose' ? 10 : undefined)
  },
)

test('REPORT-157 unittest: a pass is a pass, and failures without a closing line are trouble', () => {
  expect(unittestText(recorded('unittest-text-3.11-passed.txt'))).toEqual({
    format: 'unittest',
    counts: { passed: 1, failed: 0, skipped: 0 },
    failures: [],
    tests: [{ id: 'test_login.Login.test_passes', outcome: 'passed' }],
  })
  const whole = recorded('unittest-text-3.11-failed.txt')
  expect(unittestText(`${whole}${whole}`)?.counts).toEqual({ passed: 2, failed: 14, skipped: 4 })
  expect(unittestText(whole.slice(0, whole.indexOf('Ran 9')))).toMatchObject({
    counts: { failed: 7 },
    trouble: expect.any(String),
  })
  expect(unittestText('Ran out of tests')).toBeUndefined()
})
