import { readdirSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { recorded } from '../../../test/support/recorded-report.ts'
import type { Report, ReportParser } from '../check.ts'
import { cargoJson, cargoText } from './cargo.ts'
import { general } from './general.ts'
import { goJson, goText } from './go.ts'
import { junit } from './junit.ts'
import { pytestText } from './pytest.ts'
import { sarif } from './sarif.ts'
import { unittestText } from './unittest.ts'

const PARSERS: Readonly<Record<string, ReportParser>> = {
  junit,
  'go-json': goJson,
  'go-text': goText,
  'cargo-json': cargoJson,
  'cargo-text': cargoText,
  'pytest-text': pytestText,
  'unittest-text': unittestText,
  sarif,
}

const FILES = readdirSync(new URL('./fixtures/', import.meta.url))
const CASES = Object.entries(PARSERS).flatMap(([format, parser]) =>
  FILES.filter((file) => file.startsWith(`${format}-`)).map((file) => [file, parser, recorded(file)] as const),
)
const FAILED = CASES.filter(([, parser, text]) => (parser(text)?.counts.failed ?? 0) > 0)

/** Where in a text, in millionths: doubles would nearly all be near 0. */
const PART = fc.integer({ min: 0, max: 1_000_000 }).map((millionths) => millionths / 1_000_000)

function isCleanPass(report: Report | undefined): boolean {
  return report !== undefined && report.trouble === undefined && report.failures.length === 0 && report.counts.failed === 0
}

/** Counts are right, ids are unique, and every failure is among the tests. */
function isSound(report: Report | undefined): boolean {
  if (report === undefined) return true
  const hasCounts = Object.values(report.counts).every((number) => Number.isSafeInteger(number) && number >= 0)
  const ids = report.failures.map(({ id }) => id)
  const isRight = hasCounts && report.counts.failed >= ids.length && new Set(ids).size === ids.length
  if (!isRight || report.tests === undefined) return isRight
  const failed = new Set(report.tests.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id))
  return ids.every((id) => failed.has(id)) && new Set(report.tests.map(({ id }) => id)).size === report.tests.length
}

test('REPORT-162 every recorded report is sound, and those that failed are many', () => {
  for (const [, parser, text] of CASES) expect(isSound(parser(text))).toBe(true)
  expect(FAILED.length).toBeGreaterThan(15)
})

test('REPORT-162 a failed report that is cut off anywhere is never a clean pass', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FAILED), PART, ([, parser, text], part) => {
      const report = parser(text.slice(0, Math.floor(text.length * part)))
      expect(isSound(report)).toBe(true)
      expect(isCleanPass(report)).toBe(false)
    }),
    { numRuns: 300 },
  )
})

test('REPORT-162 damage of any kind never makes a parser throw, and every report stays sound', () => {
  const damage = fc.tuple(PART, fc.nat(40), fc.string({ unit: 'binary', maxLength: 20 }))
  fc.assert(
    fc.property(
      fc.constantFrom(...CASES),
      fc.array(damage, { maxLength: 6 }),
      fc.constantFrom(...Object.values(PARSERS)),
      (one, all, other) => {
        let text = one[2]
        for (const [part, length, put] of all) {
          const at = Math.floor(text.length * part)
          text = text.slice(0, at) + put + text.slice(at + length)
        }
        for (const parser of [one[1], other, general]) expect(isSound(parser(text))).toBe(true)
      },
    ),
    { numRuns: 150 },
  )
})

test('REPORT-163 long outputs of the worst lines are read without a hang', () => {
  // Anything quadratic would run into the limit of the test.
  const [junitHead, goHead] = ['<testsuite>', '{"Action":"run","Package":"a"}\n']
  const worst = [
    `${junitHead}${'<testcase name="a"><failure>'.repeat(40_000)}`,
    `${junitHead}<testcase name="a"><failure>${'E   '.repeat(200_000)}</failure></testcase></testsuite>`,
    `${'<testsuite '.repeat(60_000)}`,
    `${'\n<testsuite>'.repeat(40_000)}`,
    `${goHead}${`{"Action":"output","Package":"a","Test":"T","Output":"${'\\t'.repeat(200)}"}\n`.repeat(2000)}`,
    `ok  \ta\t0.1s\n${'--- FAIL: T/a/b (0.00s)\n'.repeat(20_000)}`,
    `error: could not compile \`a\`\n${'error[E1]: x\n --> a.rs:1:1\n'.repeat(20_000)}`,
    `test result: ok. 1 passed; 0 failed; 0 ignored;\nrunning 1 test\n${'---- a stdout ----\n'.repeat(30_000)}`,
    `= test session starts =\n${'a::b PASSED ('.repeat(50_000)}`,
    `= test session starts =\n= short test summary info =\nFAILED a[${']'.repeat(500_000)}`,
    `${`${'='.repeat(70)}\nFAIL: a (b)\n`.repeat(8000)}`,
    `{"version":"2.1.0","runs":[${'{"results":['.repeat(40_000)}`,
    `error ${'a.b:1 '.repeat(100_000)}`,
    `${'\tat a.b(c.java:1)\n'.repeat(30_000)}`,
    `error\n${'File "a.py", line 1, in '.repeat(30_000)}`,
    `error\n${'/'.repeat(500_000)}`,
    '\u001B'.repeat(300_000),
    ' '.repeat(500_000),
  ]
  for (const text of worst) for (const parser of [...Object.values(PARSERS), general]) expect(isSound(parser(text))).toBe(true)
})
