import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { tsc } from './tsc.ts'

test.each(['tsc-7-failed', 'tsc-7-pretty', 'tsc-7-plain-pretty'])(
  'REPORT-112 %s: every error by file, code and message',
  (name) => {
    const report = tsc(fixture(name))
    expect(report).toMatchObject({ format: 'tsc', counts: { passed: 0, failed: 7, skipped: 0 } })
    expect(report?.trouble).toBeUndefined()
    expect(report?.failures.map(({ file, line }) => `${file}:${line}`)).toEqual(
      ['login.ts:7', 'login.ts:10', 'login.ts:12', 'login.ts:14', 'login.ts:15', 'nowhere.ts:1', 'nowhere.ts:4'].map(
        (place) => `src/${place}`,
      ),
    )
    expect(report?.failures[0]).toEqual({
      id: "src/login.ts > TS2322: Type 'string' is not assignable to type 'number'.",
      kind: 'compile',
      file: 'src/login.ts',
      line: 7,
      message: "TS2322: Type 'string' is not assignable to type 'number'.",
      expected: 'number',
      received: 'string',
    })
    expect(report?.failures[2]?.message).toContain("\n  The types of 'name.first' are incompatible")
    expect(report?.failures[4]?.id).toMatch(/TS2345: .* \(2\)$/)
  },
)

test('REPORT-112 tsc: errors of several projects are added up, one without a place counts too', () => {
  const both = `${fixture('tsc-7-syntax')}${fixture('tsc-7-no-project')}`
  expect(tsc(both)).toMatchObject({
    counts: { failed: 3 },
    failures: [{ line: 1 }, { line: 1 }, { id: expect.stringContaining('TS5058') }],
  })
  expect(tsc('all is well\nFound 0 errors.\n')).toBeUndefined()
})

test('REPORT-112 tsc: more errors counted than listed is said', () => {
  const text = fixture('tsc-7-plain-pretty').replace('Found 7 errors', 'Found 9 errors')
  expect(tsc(text)).toMatchObject({ counts: { failed: 9 }, trouble: expect.stringContaining('counts 9 errors but lists 7') })
})
