import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../../ports/check.ts'
import { testFailure } from './test-failure.ts'
import { count, textBlocks } from './text-blocks.ts'

/** mocha's closing lines, as nearly all of its reporters print them: `3 passing (12ms)`, `1 pending`, `2 failing`. */
export const mochaText: ReportParser = (output) => {
  const closings = [...output.matchAll(/^ {2}\d+ passing \(.*\)(?:\n {2}\d+ pending)?(?:\n {2}\d+ failing)?$/gm)].map(
    (match) => match[0],
  )
  if (closings.length === 0) return undefined
  const closing = closings.join('\n')
  return {
    format: 'mocha',
    counts: { passed: count(closing, 'passing'), failed: count(closing, 'failing'), skipped: count(closing, 'pending') },
    failures: output
      .split(/^ {2}\d+ failing$/m)
      .slice(1)
      .flatMap(failuresIn),
  }
}

function failuresIn(list: string): readonly Failure[] {
  return textBlocks(list, /^ {2}\d+\) (.+)$/, /^\S/).map((block) => {
    // The title goes on over indented lines, one for each suite, and ends with a colon.
    const titleLines = [block.heading]
    const lines = block.text.split('\n')
    while (!titleLines.at(-1)?.endsWith(':') && lines.length > 0) titleLines.push(lines.shift()?.trim() ?? '')
    const id = titleLines
      .filter((line) => line !== '')
      .join(' > ')
      .replace(/:$/, '')
    return testFailure(id, lines.join('\n'))
  })
}
