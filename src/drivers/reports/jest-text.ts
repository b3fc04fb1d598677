import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../../ports/check.ts'
import { testFailure } from './test-failure.ts'
import { count, textBlocks } from './text-blocks.ts'

/** jest's default reporter. A file that could not be loaded counts as one failure, under its path. */
export const jestText: ReportParser = (output) => {
  const closings = [...output.matchAll(/^Test Suites: .*total\nTests: +(.*total)$/gm)].map((match) => match[1] ?? '')
  if (closings.length === 0) return undefined
  const closing = closings.join('\n')
  const { failures, brokenFiles } = failuresIn(output)
  return {
    format: 'jest',
    counts: {
      passed: count(closing, 'passed'),
      failed: count(closing, 'failed') + brokenFiles,
      skipped: count(closing, 'skipped') + count(closing, 'todo'),
    },
    failures,
  }
}

/** Long runs end with a summary that repeats every failure, so each is taken once. */
function failuresIn(output: string): { failures: readonly Failure[]; brokenFiles: number } {
  const failures = new Map<string, Failure>()
  const broken = new Set<string>()
  for (const file of textBlocks(output, /^FAIL (\S.*)$/, /^(?:PASS |Test Suites: |Summary of all failing tests)/)) {
    const path = file.heading.replace(/ \([\d.]+ m?s\)$/, '')
    for (const block of textBlocks(file.text, /^ {2}● (.+)$/)) {
      if (block.heading === 'Console') continue
      const isBroken = block.heading === 'Test suite failed to run'
      if (isBroken) broken.add(path)
      const id = isBroken ? path : block.heading.replaceAll(' › ', ' > ')
      if (!failures.has(id)) failures.set(id, testFailure(id, block.text))
    }
  }
  return { failures: [...failures.values()], brokenFiles: broken.size }
}
