import { expect, test } from 'vitest'
import { TESTS_KEPT_MAX } from '../check.ts'
import { reportBuilder } from './report-builder.ts'

test('REPORT-105 ids are unique: the second of a name gets its file before it, or its number', () => {
  const builder = reportBuilder('x')
  builder.add('passed', 'adds', 'a.test.js')
  builder.add('passed', 'adds', 'b.test.js')
  builder.add('passed', 'adds (2)')
  builder.add('skipped', 'adds')
  builder.fail('adds', () => ({ kind: 'unknown', message: '' }), 'b.test.js')
  const report = builder.report({ hasAllTests: true })
  expect(report.tests?.map(({ id }) => id)).toEqual(['adds', 'b.test.js > adds', 'adds (2)', 'adds (3)', 'b.test.js > adds (2)'])
  expect(report.failures).toEqual([{ id: 'b.test.js > adds (2)', kind: 'unknown', message: 'It failed.' }])
})

test('REPORT-105 tests and failures are bounded, counts are not', () => {
  const builder = reportBuilder('x')
  let asked = 0
  for (let index = 0; index < TESTS_KEPT_MAX + 10; index += 1) builder.add('passed', `test ${index}`)
  for (let index = 0; index < 1500; index += 1) {
    builder.fail(`failure ${index}`, () => ({ kind: 'unknown', message: `${'x'.repeat(20_000)}${(asked += 1)}` }))
  }
  const report = builder.report({ hasAllTests: true })
  expect(report.counts).toEqual({ passed: TESTS_KEPT_MAX + 10, failed: 1500, skipped: 0 })
  expect([report.tests?.length, report.failures.length, asked]).toEqual([TESTS_KEPT_MAX, 1000, 1000])
  expect(report.failures[0]?.message).toHaveLength(10_000)
})

test('REPORT-105 of two counts of failures the worse is believed', () => {
  const builder = reportBuilder('x')
  builder.fail('a', () => ({ kind: 'unknown', message: 'm' }))
  expect(builder.report({ counts: { passed: 1, failed: 0, skipped: 0 } }).counts).toEqual({ passed: 1, failed: 1, skipped: 0 })
})
