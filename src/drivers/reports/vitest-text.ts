import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../../ports/check.ts'
import { testFailure } from './test-failure.ts'
import { count, sum, textBlocks } from './text-blocks.ts'

/** vitest's default reporter. A file that could not be loaded has no tests, so it counts as one failure. */
export const vitestText: ReportParser = (output) => {
  const closings = [...output.matchAll(/^ *Test Files {2,}.*\n *Tests {2,}(.*)$/gm)].map((match) => match[1] ?? '')
  if (closings.length === 0) return undefined
  const closing = closings.join('\n')
  const suites = sum([...output.matchAll(/⎯ Failed Suites (\d+) ⎯/g)].map((match) => match[1]))
  const unhandled = sum([...output.matchAll(/^ *Errors {2,}(\d+) errors?$/gm)].map((match) => match[1]))
  return {
    format: 'vitest',
    counts: {
      passed: count(closing, 'passed'),
      failed: count(closing, 'failed') + suites + unhandled,
      skipped: count(closing, 'skipped') + count(closing, 'todo'),
    },
    failures: failuresIn(output),
  }
}

function failuresIn(output: string): readonly Failure[] {
  // Tests that failed in the same way share one text, under the last of their headings.
  let shared = ''
  return textBlocks(output, /^ FAIL {1,2}(\S.*)$/, /^⎯|^ Test Files /)
    .toReversed()
    .map(({ heading, text }) => {
      if (text.trim() !== '') shared = text
      return testFailure(heading.replace(/ \[ .* \]$/, ''), shared)
    })
    .toReversed()
}
