import type { Report, ReportParser } from '../check.ts'
import { addedReports } from './added-reports.ts'
import { cargoText } from './cargo-text.ts'
import { goText } from './go-text.ts'
import { jestText } from './jest-text.ts'
import { mochaText } from './mocha-text.ts'
import { nodeDotText } from './node-dot-text.ts'
import { nodeSpecText } from './node-spec-text.ts'
import { plainText } from './plain-text.ts'
import { proveText } from './prove-text.ts'
import { pytestText } from './pytest-text.ts'
import { rspecText } from './rspec-text.ts'
import { unittestText } from './unittest-text.ts'
import { vitestText } from './vitest-text.ts'

/**
 * The text that common test runners print for people. Each is known by its closing line, which counts; names and messages are
 * taken where the text plainly lists them. Runs of several runners, or several runs of one, are added up, so that a later
 * success never hides a failure.
 */
export const closingLine: ReportParser = (output) => {
  const text = plainText(output)
  const reports = RUNNERS.map((read) => read(text)).filter((report) => report !== undefined)
  return addedReports(reports.map(consistent))
}

/** Where the list of failures and the closing line disagree, the worse is believed. */
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
]
