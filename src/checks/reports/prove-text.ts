import type { ReportParser } from '../check.ts'
import { reportBuilder } from './report-builder.ts'
import { testFailure } from './test-failure.ts'
import { sum, textBlocks } from './text-blocks.ts'

/** prove's own summary of the TAP that it has read: files, not tests, by name. A file that broke without a failed test is a failure. */
export const proveText: ReportParser = (text) => {
  const closings = [...text.matchAll(/^Files=\d+, Tests=(\d{1,9}), .*\nResult: (?:PASS|FAIL|NOTESTS)$/gm)]
  if (closings.length === 0) return undefined
  const builder = reportBuilder('tap')
  let unsuccessful = 0
  for (const { heading, text: block } of textBlocks(text, /^(\S.* \(Wstat: .* Tests: \d+ Failed: \d+\))$/, /^\S/)) {
    const [, id = heading, failed = '0'] = /^(\S.*?) +\(Wstat: .* Failed: (\d{1,9})\)$/.exec(heading) ?? []
    unsuccessful += Number(failed)
    if (block.trim() !== '' && !TODO_PASSED.test(block)) builder.fail(id, () => testFailure(id, block, { file: id }))
  }
  const tests = sum(closings.map((closing) => closing[1]))
  const failed = Math.max(unsuccessful, builder.counts().failed, closings.some(([said]) => said.endsWith('FAIL')) ? 1 : 0)
  return builder.report({ counts: { passed: Math.max(0, tests - unsuccessful), failed, skipped: 0 } })
}

/** Tests that were to be written and pass already stand in the summary, too, and break nothing. */
const TODO_PASSED = /^\s*TODO passed: .*\s*$/
