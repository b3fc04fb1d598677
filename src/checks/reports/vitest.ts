import type { ReportParser } from '../check.ts'
import { jestShape } from './jest.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { count, plainText, sum, textBlocks } from './report-text.ts'
import { testFailure } from './test-failure.ts'

/**
 * `vitest --reporter=json`. Since version 5 it writes a file; `--outputFile=/dev/stdout`, or `cat`, brings it to the check.
 *
 * @part vitest-json
 */
export const vitestJson: ReportParser = (output) =>
  jestShape('vitest-json', output, /^[ \t]{0,20}\{\s{0,20}"numTotalTestSuites"\s{0,20}:/gm)

/**
 * vitest's reporters for people: default, verbose, dot. A file that could not be loaded and a hook that threw have no failed test,
 * so each counts as one failure. The tests are listed where the text names every one of them (verbose).
 *
 * @part vitest
 */
export const vitestText: ReportParser = (output) => {
  const text = plainText(output)
  const closings = [...text.matchAll(/^ *Test Files {2,}.*\n *Tests {2,}(.*)$/gm)].map((match) => match[1] ?? '')
  if (closings.length === 0) return undefined
  const closing = closings.join('\n')
  const suites = sum([...text.matchAll(/⎯ Failed Suites (\d+) ⎯/g)].map((match) => match[1]))
  const unhandled = sum([...text.matchAll(/^ *Errors {2,}(\d+) errors?$/gm)].map((match) => match[1]))
  const counts = {
    passed: count(closing, 'passed'),
    failed: count(closing, 'failed') + suites + unhandled,
    skipped: count(closing, 'skipped') + count(closing, 'todo'),
  }
  const builder = reportBuilder('vitest')
  addFailures(text, builder)
  addOthers(text, builder)
  const { passed, skipped } = builder.counts()
  if ((text.match(/^ *Duration {2,}/gm)?.length ?? 0) < closings.length)
    builder.doubt('The text ends before its closing lines do.')
  if (unhandled === 0 && /⎯ Unhandled Errors? ⎯/.test(text)) builder.doubt('Errors outside of the tests are not counted.')
  return builder.report({ counts, hasAllTests: passed === counts.passed && skipped === counts.skipped })
}

function addFailures(text: string, builder: ReportBuilder): void {
  // Tests that failed in the same way share one text, under the last of their headings.
  let shared = ''
  const failures = textBlocks(text, /^ FAIL {1,2}(\S.*)$/, /^⎯|^ Test Files /)
    .toReversed()
    .map(({ heading, text: own }) => {
      if (own.trim() !== '') shared = own
      // ` FAIL  a.test.ts [ a.test.ts ]` is a file that could not be loaded.
      const [, id = heading, file] = /^(.*) \[ (\S+) \]$/.exec(heading) ?? []
      return { id, text: shared, known: file === undefined ? {} : { file } }
    })
  for (const { id, text: reason, known } of failures.toReversed()) builder.fail(id, () => testFailure(id, reason, known))
}

/** What verbose lists: ` ✓ src/a.test.ts > suite > test 4ms`. */
function addOthers(text: string, builder: ReportBuilder): void {
  for (const [, mark, name = ''] of text.matchAll(/^ ([✓↓□]) (\S.* > .*)$/gm)) {
    builder.add(mark === '✓' ? 'passed' : 'skipped', name.replace(/ \d+ ?ms$/, '').replace(/ \[.*\]$/, ''))
  }
}
