import { expect, test } from 'vitest'
import { fixture } from './fixture.ts'
import { general } from './general.ts'

test('REPORT-5 compiler errors: the telling lines, the kind and the first place', () => {
  expect(general(fixture('tsc-failed'))).toEqual({
    format: 'general',
    counts: { passed: 0, failed: 1, skipped: 0 },
    failures: [{ id: 'output', kind: 'compile', file: 'a.ts', line: 1, message: fixture('tsc-failed').trim() }],
  })
  expect(general(fixture('cargo-compile-error'))?.failures).toMatchObject([
    {
      kind: 'compile',
      file: 'src/lib.rs',
      line: 5,
      message: expect.stringMatching(/^error\[E0308\]: mismatched types\n --> src\/lib\.rs:5/),
    },
  ])
})

test('REPORT-5 what was expected and what came is found, and harmless lines are left out', () => {
  const text =
    '0 errors so far\nnpm error code 1\nAssertionError: wrong id\n  Expected: 42\n  Received: "42"\n    at check (src/check.js:7:3)\n'
  expect(general(text)?.failures).toEqual([
    {
      id: 'output',
      kind: 'assertion',
      message: 'AssertionError: wrong id\n  Expected: 42\n  Received: "42"\n    at check (src/check.js:7:3)',
      file: 'src/check.js',
      line: 7,
      expected: '42',
      received: '"42"',
    },
  ])
})

test('REPORT-5 where no line tells, the last ones are taken; from nothing nothing is made', () => {
  expect(general('one\ntwo\n\n')?.failures).toMatchObject([{ message: 'one\ntwo', kind: 'unknown' }])
  expect(general(' \n')).toBeUndefined()
})

test('REPORT-5 however long the output, the message is short', () => {
  const message = general(`error: ${'x'.repeat(100_000)}\n`.repeat(5) + 'error: y\n'.repeat(1000))?.failures[0]?.message ?? ''
  expect(message.length).toBeLessThan(5000)
})
