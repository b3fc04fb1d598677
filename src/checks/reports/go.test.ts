import { expect, test } from 'vitest'
import { recorded } from '../../../test/support/recorded-report.ts'
import { goJson, goText } from './go.ts'

test('REPORT-152 go test -json: leaves by package and name, panics, time limits and packages that do not build', () => {
  const report = goJson(recorded('go-json-1.19-failed.txt'))
  expect(report).toMatchObject({ format: 'go-json', counts: { passed: 4, failed: 5, skipped: 1 } })
  expect(report?.trouble).toBeUndefined()
  expect(report?.failures).toMatchObject([
    {
      id: 'example.com/shop/login > TestLogin > numeric_user_id',
      kind: 'assertion',
      file: 'login_test.go',
      line: 11,
      expected: '"43"',
      received: '"42"',
      message: 'login_test.go:11: UserID(ann): got "42", want "43"',
    },
    {
      id: 'example.com/shop/login > TestLogin > wrong_password > refuses',
      message: expect.stringMatching(/let in\n.*second line$/),
    },
    {
      id: 'example.com/shop/panics > TestReadsTheConfig',
      kind: 'exception',
      frame: 'example.com/shop/login.read (/project/login/login.go:9)',
      message: expect.stringMatching(/^panic: runtime error: invalid memory address/),
    },
    { id: 'example.com/shop/slow > TestAnswersInTime', kind: 'timeout', line: 8, message: 'panic: test timed out after 2s' },
    { id: 'example.com/shop/broken', kind: 'compile', file: 'broken/broken.go', line: 3 },
  ])
  expect(report?.tests).toContainEqual({ id: 'example.com/shop/login > TestLogin > passes', outcome: 'passed' })
  expect(report?.tests).toContainEqual({ id: 'example.com/shop/login > TestSkipped', outcome: 'skipped' })
  expect(report?.tests?.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)).toEqual(
    report?.failures.map(({ id }) => id),
  )
})

test('REPORT-152 a pass is read as a pass, with noise around it', () => {
  const text = `npm warn x\n{ not: json }\n${recorded('go-json-1.19-passed.txt').replaceAll('\n', '\r\n')}done\n`
  expect(goJson(text)).toEqual({
    format: 'go-json',
    counts: { passed: 1, failed: 0, skipped: 0 },
    failures: [],
    tests: [{ id: 'example.com/shop/other > TestPasses', outcome: 'passed' }],
  })
})

test('REPORT-152 Go 1.24 and later tell of the build in events', () => {
  const text = [
    '{"ImportPath":"a.com/b [a.com/b.test]","Action":"build-output","Output":"# a.com/b [a.com/b.test]\\n"}',
    '{"ImportPath":"a.com/b [a.com/b.test]","Action":"build-output","Output":"./b.go:3:5: undefined: x\\n"}',
    '{"ImportPath":"a.com/b [a.com/b.test]","Action":"build-fail"}',
    '{"Time":"2026-01-01T00:00:00Z","Action":"start","Package":"a.com/b"}',
    '{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"a.com/b","Output":"FAIL\\ta.com/b [build failed]\\n"}',
    '{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"a.com/b","Elapsed":0,"FailedBuild":"a.com/b [a.com/b.test]"}',
  ].join('\n')
  expect(goJson(text)).toMatchObject({
    counts: { passed: 0, failed: 1, skipped: 0 },
    failures: [{ id: 'a.com/b', kind: 'compile', file: 'b.go', line: 3, message: './b.go:3:5: undefined: x' }],
  })
})

test('REPORT-152 a package that does not end, or a broken line, is trouble; a package may fail without a test', () => {
  const whole = recorded('go-json-1.19-passed.txt')
  expect(goJson(whole.slice(0, whole.lastIndexOf('{')))?.trouble).toMatch(/does not say how the package/)
  expect(goJson(whole.slice(0, -10))?.trouble).toMatch(/no JSON/)
  const text =
    '{"Action":"output","Package":"a.com/b","Output":"boom in TestMain\\n"}\n{"Action":"fail","Package":"a.com/b","Elapsed":0}\n'
  expect(goJson(text)).toMatchObject({ counts: { failed: 1 }, failures: [{ id: 'a.com/b', message: 'boom in TestMain' }] })
  expect(goJson('{"Action":1}\n{"a":2}')).toBeUndefined()
})

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
