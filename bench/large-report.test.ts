import { expect, test } from 'vitest'
import { reportFormats, reportParserNamed } from '../src/checks/reports/index.ts'
import { LARGE_FORMATS, largeReport, NOT_GROWN } from './large-report.ts'

test('BENCH-6 there is a large report of every format but those of consoles that cannot be grown', () => {
  expect(reportFormats.filter((format) => !LARGE_FORMATS.includes(format)).toSorted()).toEqual(NOT_GROWN.toSorted())
})

test.each(LARGE_FORMATS)('BENCH-6 a large report of the format %s is as long as asked for and is read whole', (format) => {
  const text = largeReport(format, 200_000)
  expect(Buffer.byteLength(text)).toBeGreaterThanOrEqual(200_000)
  const report = reportParserNamed(format)?.(text)
  expect(report).toMatchObject({ format })
  expect(report?.trouble).toBeUndefined()
  expect(report?.failures.length).toBeGreaterThan(0)
  // Formats that list tests have many more that passed.
  const { passed = 0, failed = 0 } = report?.counts ?? {}
  expect(report?.tests === undefined || passed > 10 * failed).toBe(true)
})
