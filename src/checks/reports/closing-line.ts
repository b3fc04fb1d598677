import { type Report, type ReportParser, TESTS_KEPT_MAX } from '../check.ts'
import { cargoText } from './cargo.ts'
import { ctestText, dotnetText, gradleText, mavenText, phpunitText } from './consoles.ts'
import { goText } from './go.ts'
import { jestText } from './jest.ts'
import { mochaText } from './mocha.ts'
import { nodeDotText, nodeSpecText } from './node-test.ts'
import { pytestText } from './pytest.ts'
import { plainText } from './report-text.ts'
import { rspecText } from './rspec.ts'
import { proveText } from './tap.ts'
import { unittestText } from './unittest.ts'
import { vitestText } from './vitest.ts'

/**
 * The text that common test runners print for people. Each is recognized by its closing line, which has the counts; names and messages
 * are read if the text clearly lists them. Several runs are added up, so that a later success never hides a failure.
 */
export const closingLine: ReportParser = (output) => {
  const text = plainText(output)
  const reports = RUNNERS.map((read) => read(text)).filter((report) => report !== undefined)
  return addedReports(reports.map(consistent))
}

/** If the list of failures and the closing line disagree, the worse one counts. */
function consistent(report: Report): Report {
  return { ...report, counts: { ...report.counts, failed: Math.max(report.counts.failed, report.failures.length) } }
}

const RUNNERS: readonly ReportParser[] = [
  vitestText,
  jestText,
  nodeSpecText,
  nodeDotText,
  mochaText,
  pytestText,
  unittestText,
  cargoText,
  goText,
  rspecText,
  proveText,
  ctestText,
  dotnetText,
  mavenText,
  gradleText,
  phpunitText,
]

/**
 * Adds up the reports of several runners in one output; `undefined` if there is none. The tests are listed only if every report lists
 * its own; one unreliable report makes the sum unreliable. An id that an earlier report has gets its format appended.
 */
function addedReports(reports: readonly Report[]): Report | undefined {
  if (reports.length < 2) return reports[0]
  const trouble = reports.find((report) => report.trouble !== undefined)?.trouble
  const total = (outcome: keyof Report['counts']) => reports.reduce((sum, report) => sum + report.counts[outcome], 0)
  const distinct = withDistinctIds(reports)
  return {
    format: reports.map((report) => report.format).join('+'),
    counts: { passed: total('passed'), failed: total('failed'), skipped: total('skipped') },
    failures: distinct.flatMap((report) => report.failures),
    ...(distinct.every((report) => report.tests !== undefined) && {
      tests: distinct.flatMap((report) => report.tests ?? []).slice(0, TESTS_KEPT_MAX),
    }),
    ...(trouble !== undefined && { trouble }),
  }
}

function withDistinctIds(reports: readonly Report[]): readonly Report[] {
  const taken = new Set<string>()
  return reports.map((report) => {
    const distinct = <Named extends { readonly id: string }>(named: Named): Named =>
      taken.has(named.id) ? { ...named, id: `${named.id} (${report.format})` } : named
    const { tests } = report
    const failures = report.failures.map(distinct)
    const renamed = { ...report, failures, ...(tests !== undefined && { tests: tests.map(distinct) }) }
    for (const { id } of [...report.failures, ...(tests ?? [])]) taken.add(id)
    return renamed
  })
}
