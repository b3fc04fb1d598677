import type { ReportParser } from '../check.ts'
import { sum, textBlocks, textsByHeading } from './report-text.ts'
import { testFailure } from './test-failure.ts'

/**
 * rspec. An error outside of the examples (a file that cannot be loaded) is a failure.
 *
 * @part rspec
 */
export const rspecText: ReportParser = (output) => {
  const closings = [
    ...output.matchAll(
      /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$/gm,
    ),
  ]
  if (closings.length === 0) return undefined
  const column = (index: number) => sum(closings.map((match) => match[index]))
  const [failures, pending, outside] = [column(2), column(3), column(4)]
  const texts = textsByHeading(textBlocks(output, /^ {2}\d+\) (.+)$/, /^\S/))
  return {
    format: 'rspec',
    counts: { passed: Math.max(0, column(1) - failures - pending), failed: failures + outside, skipped: pending },
    failures: [...output.matchAll(/^rspec '?\.?\/?([^:[\s']+)(?::(\d+)|\[[\d:]+\]'?) # (.+)$/gm)].map(
      ([, file = '', line, id = '']) => {
        const text = texts.get(id) ?? ''
        return testFailure(id, text, { file, ...(line !== undefined && { line: Number(line) }) })
      },
    ),
  }
}
