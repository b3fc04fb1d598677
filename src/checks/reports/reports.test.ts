import { readdirSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { reportParsers } from './index.ts'

const FIXTURES = readdirSync(new URL('./fixtures/', import.meta.url))
  .filter((name) => name.endsWith('.txt'))
  .map((name) => fixture(name.replace(/\.txt$/, '')))

const LINES = FIXTURES.flatMap((text) => text.split('\n'))

function read(text: string) {
  return reportParsers.map((parser) => parser(text))
}

test('REPORT-6 no parser ever throws, and every report is sound, whatever is cut out of or mixed into an output', () => {
  const shuffled = fc
    .array(fc.oneof(fc.constantFrom(...LINES), fc.string({ unit: 'binary' })), { maxLength: 60 })
    .map((lines) => lines.join('\n'))
  const cut = fc
    .tuple(fc.constantFrom(...FIXTURES), fc.nat(3000), fc.nat(3000))
    .map(([text, from, length]) => text.slice(0, from) + text.slice(from + length))
  fc.assert(
    fc.property(fc.oneof(shuffled, cut, fc.string({ unit: 'grapheme' })), (text) => {
      for (const report of read(text).filter((each) => each !== undefined)) {
        for (const number of Object.values(report.counts)) expect(Number.isSafeInteger(number) && number >= 0).toBe(true)
        expect(report.failures.every((failure) => failure.id !== '' && failure.message !== '')).toBe(true)
        expect(report.failures.length === 0 || report.counts.failed > 0).toBe(true)
      }
    }),
    { numRuns: 80 },
  )
})

test('REPORT-6 a long output of the worst lines is read without a hang', () => {
  // Anything quadratic would run into the limit of the test.
  const worst = [
    'a'.repeat(500_000),
    'ok 1 - a\n'.repeat(25_000),
    `1..1\n${'    not ok 1 - a\n'.repeat(15_000)}`,
    '--- FAIL: a/b/c (0s)\n'.repeat(20_000),
    ' '.repeat(500_000),
    `TAP version 13\n${'not ok 1 - x\n  ---\n  error: y\n  ...\n'.repeat(3000)}`,
    ' FAIL  a > b\n'.repeat(20_000) + ' Test Files  1 failed (1)\n      Tests  1 failed (1)\n',
  ]
  for (const text of worst) expect(() => read(text)).not.toThrow()
})
