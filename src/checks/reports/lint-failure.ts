import type { ReportBuilder } from './report-builder.ts'

/** One error of a linter. */
export interface LintProblem {
  readonly file: string
  readonly line: number | undefined
  readonly rule: string | undefined
  readonly message: string
  /** The file could not even be read. */
  readonly isFatal: boolean
}

/**
 * Adds a linter's error to a report. Its id is file, rule and message: lines move with every edit, and the same error twice in a
 * file is told apart by its number.
 */
export function lintFailure(builder: ReportBuilder, { file, line, rule, message, isFatal }: LintProblem): void {
  const text = message.trim()
  const id = [file, rule, text.split('\n', 1)[0]?.slice(0, 200)].filter((part) => part !== undefined && part !== '').join(' > ')
  builder.fail(id, () => ({
    kind: isFatal || /^Parsing error\b/.test(text) ? 'compile' : 'lint',
    message: rule === undefined ? text : `${text} (${rule})`,
    file,
    ...(line !== undefined && line > 0 && { line }),
  }))
}
