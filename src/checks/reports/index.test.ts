import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import type { Report } from '../check.ts'
import { reportFormats, reportParserNamed, reportParsers } from './index.ts'

/** A recorded run that failed, for every JavaScript format. */
const FAILED: readonly (readonly [format: string, fixture: string])[] = [
  ['vitest-json', 'vitest-json-5-failed'],
  ['jest-json', 'jest-json-30-failed'],
  ['mocha-json', 'mocha-json-12-failed'],
  ['eslint-json', 'eslint-json-10-failed'],
  ['tap', 'node-tap-24-failed'],
  ['tap', 'vitest-tap-5-failed'],
  ['tap', 'tape-5-failed'],
  ['tap', 'tap-21-failed'],
  ['tap', 'mocha-tap-12-failed'],
  ['vitest', 'vitest-text-5-failed'],
  ['vitest', 'vitest-verbose-3-failed'],
  ['jest', 'jest-text-30-failed'],
  ['mocha', 'mocha-text-12-spec-failed'],
  ['mocha', 'mocha-text-12-dot-failed'],
  ['node', 'node-text-24-failed'],
  ['tsc', 'tsc-7-failed'],
  ['tsc', 'tsc-7-pretty'],
  ['eslint', 'eslint-stylish-10-failed'],
  ['eslint', 'eslint-unix-10-failed'],
  ['github', 'vitest-github-5-failed'],
]

function read(format: string, text: string): Report | undefined {
  const parser = reportParserNamed(format)
  if (parser === undefined) throw new Error(`no parser ${format}`)
  return parser(text)
}

function automatic(text: string): Report | undefined {
  for (const parser of reportParsers) {
    const report = parser(text)
    if (report !== undefined) return report
  }
  return undefined
}

function isCleanPass(report: Report | undefined): boolean {
  return report !== undefined && report.trouble === undefined && report.counts.failed === 0
}

test('REPORT-120 every format has a name, and no other name is known', () => {
  expect(reportFormats.toSorted()).toEqual(
    'vitest-json jest-json mocha-json tap junit go-json cargo-json sarif eslint-json tsc eslint github pytest go cargo mocha jest vitest node unittest rspec ctest dotnet maven gradle phpunit compiler blocks general'
      .split(' ')
      .toSorted(),
  )
  expect(reportFormats.every((name) => reportParserNamed(name) !== undefined)).toBe(true)
  expect(reportParserNamed('constructor')).toBeUndefined()
})

test.each(FAILED)('REPORT-121 %s: %s is found among all formats', (format, name) => {
  const report = automatic(fixture(name))
  expect(report).toEqual(read(format, fixture(name)))
  const ids = report?.failures.map((failure) => failure.id) ?? []
  expect(ids.length).toBeGreaterThan(0)
  expect(new Set(ids).size).toBe(ids.length)
})

test.each(FAILED)('REPORT-122 %s: %s cut off anywhere is never a clean pass', (format, name) => {
  const text = fixture(name)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: text.length - 1 }), (end) => {
      expect(isCleanPass(read(format, text.slice(0, end)))).toBe(false)
    }),
    { numRuns: 40 },
  )
})

test.each(FAILED)('REPORT-123 %s: %s damaged anywhere never throws and stays sound', (format, name) => {
  const text = fixture(name)
  const damage = fc.record({
    at: fc.integer({ min: 0, max: text.length }),
    length: fc.nat(20),
    put: fc.oneof(fc.string({ unit: 'binary', maxLength: 5 }), fc.constantFrom('"', '\n', '\uFFFD', '}', '    ')),
  })
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 6 }), (damages) => {
      const damaged = damages.reduce((whole, { at, length, put }) => whole.slice(0, at) + put + whole.slice(at + length), text)
      const report = read(format, damaged)
      const { counts, failures } = report ?? { counts: { failed: 0 }, failures: [] }
      expect(counts.failed).toBeGreaterThanOrEqual(failures.length)
      expect(failures.every(({ id, message }) => id !== '' && message !== '')).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test.each(FAILED)(
  'REPORT-124 %s: %s reads the same with CRLF, a byte order mark, colours and noise around it',
  (format, name) => {
    const text = fixture(name)
    const whole = read(format, text)
    const same = (other: string) => expect(read(format, other)).toEqual(whole)
    same(`\uFEFF${text}`)
    same(text.replaceAll('\n', '\r\n'))
    same(text.replaceAll(/^(?=\S)/gm, '\u001B[31m\u001B[39m'))
    same(`\n> project@1.0.0 test\n> run the tests\n\n(node:7) Warning: something is deprecated\n${text}\nnpm error code 1\n`)
  },
)

test('REPORT-124 UTF 16 that was read as UTF-8 is still read', () => {
  for (const [format, name] of [
    ['vitest-json', 'vitest-json-5-failed'],
    ['tsc', 'tsc-7-failed'],
  ] as const) {
    const text = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(fixture(name), 'utf16le')]).toString('utf8')
    expect(read(format, text)).toEqual(read(format, fixture(name)))
  }
})

test.each(FAILED)('REPORT-125 %s: %s twice after each other counts twice, with ids that are unique', (format, name) => {
  const text = fixture(name)
  const [once, twice] = [read(format, text), read(format, `${text}\n${text}`)]
  expect(twice?.counts.failed).toBe(2 * (once?.counts.failed ?? 0))
  expect(new Set(twice?.failures.map((failure) => failure.id)).size).toBe(2 * (once?.failures.length ?? 0))
})

test('REPORT-126 the worst lines are read without a hang', () => {
  // Anything quadratic would run into the limit of the test.
  const fills = [
    'a',
    ' ',
    '{',
    '"',
    '\\',
    'at ',
    '::error ',
    'error TS1: x\n',
    '{"numTotalTestSuites":',
    '[{"filePath":\n',
    '  ● a\n',
    '- Expected\n',
  ]
  const heads = FAILED.map(([format, name]) => [format, fixture(name).slice(0, 400)] as const)
  for (const [format, head] of heads) {
    for (const fill of fills) expect(() => read(format, head + fill.repeat(60_000 / fill.length))).not.toThrow()
  }
})
