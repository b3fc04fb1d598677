import { PawlError } from '../core/pawl-error.ts'
import { didYouMean } from '../core/names.ts'
import { REPORT_FORMAT_NAMES } from '../registry/_parts.ts'

/** Where a check's report is and in which format; at least one of the two. */
export interface ReportWish {
  readonly format?: string
  readonly file?: string
}

/** One word for a report: a file has a dot or a slash in its path, no format has. */
export function reportWish(word: string): ReportWish {
  return /[./\\]/.test(word) ? { file: word } : { format: word }
}

/** What is wrong with one half of a wish; `undefined` when nothing is. */
export function reportProblem(key: keyof ReportWish, value: string): string | undefined {
  if (key === 'file') {
    const isOneFile = value.trim() !== '' && !/[*\0\n]/.test(value)
    return isOneFile ? undefined : `a report is the path of one file, without wildcards, not ${JSON.stringify(value)}`
  }
  if (REPORT_FORMAT_NAMES.includes(value)) return undefined
  return `there is no report format ${JSON.stringify(value)}${didYouMean(value, REPORT_FORMAT_NAMES)}`
}

/** What `--report` says. A `usage.report` error where it can be neither a format nor a file. */
export function reportFlag(text: string): ReportWish {
  const wish = reportWish(text)
  const problem = wish.file === undefined ? reportProblem('format', text) : reportProblem('file', text)
  if (problem === undefined) return wish
  const hint = wish.file === undefined ? ` A file is known by a dot or a slash, as in ./${text}.` : '.'
  throw new PawlError('usage.report', `--report: ${problem}${hint}`, { value: text })
}
