import { expect, test } from 'vitest'
import { goText } from './go-text.ts'
import { recorded } from '../../../test/support/recorded-report.ts'

const FAILED = [
  { id: 'example.com/shop/login > TestLogin > wrong_password > refuses', kind: 'assertion', line: 16 },
  { id: 'example.com/shop/login > TestLogin > numeric_user_id', kind: 'assertion', line: 11, expected: '"43"', received: '"42"' },
  {
    id: 'example.com/shop/panics > TestReadsTheConfig',
    kind: 'exception',
    frame: 'example.com/shop/login.read (/project/login/login.go:9)',
  },
  { id: 'example.com/shop/slow > TestAnswersInTime', kind: 'timeout', line: 8 },
  { id: 'example.com/shop/broken', kind: 'compile', file: 'broken/broken.go', line: 3 },
]

test('REPORT-153 go test: leaves only, by package and name; a package that does not build; packages that passed', () => {
  const report = goText(recorded('go-text-1.19-failed.txt'))
  expect(report).toMatchObject({ format: 'go', counts: { passed: 1, failed: 5, skipped: 0 }, failures: FAILED })
  expect(report?.tests).toBeUndefined()
  expect(report?.trouble).toBeUndefined()
})

test('REPORT-153 go test -v names every test', () => {
  const report = goText(recorded('go-text-1.19-verbose.txt'))
  expect(report).toMatchObject({ counts: { passed: 4, failed: 5, skipped: 1 }, failures: FAILED })
  expect(report?.tests).toHaveLength(10)
  expect(goText(recorded('go-text-1.19-passed.txt'))).toEqual({
    format: 'go',
    counts: { passed: 1, failed: 0, skipped: 0 },
    failures: [],
    tests: [{ id: 'example.com/shop/other > TestPasses', outcome: 'passed' }],
  })
})

test('REPORT-153 a package may fail without a test; a package that does not end is trouble', () => {
  expect(goText('panic: out of cheese\nFAIL\texample.com/a\t0.1s\n')).toMatchObject({
    counts: { failed: 1 },
    failures: [{ id: 'example.com/a', kind: 'exception', message: 'panic: out of cheese' }],
  })
  const text = 'ok  \ta.com/b\t0.1s\n--- FAIL: TestX (0.00s)\n    x_test.go:3: no\n'
  expect(goText(text)).toMatchObject({ counts: { failed: 1 }, trouble: expect.stringMatching(/cut off/) })
  expect(goText('ok then\nFAIL it is')).toBeUndefined()
})
