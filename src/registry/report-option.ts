import type { ReportOptions } from '../checks/check-report.ts'
import { reportFrom } from '../checks/command-settings.ts'
import { didYouMean } from '../core/names.ts'
import { PawlError } from '../core/pawl-error.ts'
import { REPORT_FORMAT_NAMES } from './_parts.ts'

export { reportFrom, type ReportOptions }

/** What is wrong with the format or the file of a report; `undefined` if nothing is. */
export function reportProblem(key: keyof ReportOptions, value: string): string | undefined {
  if (key === 'file') {
    const isOneFile = value.trim() !== '' && !/[*\0\n]/.test(value)
    return isOneFile ? undefined : `a report is the path of one file, without wildcards, not ${JSON.stringify(value)}`
  }
  if (REPORT_FORMAT_NAMES.includes(value)) return undefined
  return `there is no report format ${JSON.stringify(value)}${didYouMean(value, REPORT_FORMAT_NAMES)}`
}

/** What `--report` says. A `usage.report` error if it can be neither a format nor a file. */
export function reportFlag(text: string): ReportOptions {
  const report = reportFrom(text)
  const problem = report.file === undefined ? reportProblem('format', text) : reportProblem('file', text)
  if (problem === undefined) return report
  const hint = report.file === undefined ? ` A file has a dot or a slash in its path, as in ./${text}.` : '.'
  throw new PawlError('usage.report', `--report: ${problem}${hint}`, { value: text })
}
