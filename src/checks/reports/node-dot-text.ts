import type { ReportParser } from '../check.ts'
import { isTodo } from './node-spec-tree.ts'
import { reportBuilder } from './report-builder.ts'
import { testFailure } from './test-failure.ts'
import { textBlocks } from './text-blocks.ts'

/**
 * node:test's dot reporter, which counts nothing and names only what failed: a run that passed is no report. Suites have their mark
 * like tests, so what passed is counted as near as the dots tell.
 */
export const nodeDotText: ReportParser = (text) => {
  const lists = [...text.matchAll(/^((?:[.X]+\n)+)\nFailed tests:\n(?=\n✖ )/gm)]
  const builder = reportBuilder('node')
  for (const [index, list] of lists.entries()) {
    const blocks = textBlocks(text.slice(list.index, lists[index + 1]?.index), /^(✖ .+)$/, /^[^\s✖]/)
    for (const { heading, text: block } of blocks) {
      const reason = /^ *'(.*)'\s*$/.exec(block)?.[1] ?? block
      if (isTodo(heading) || /^\d+ subtests? failed$/.test(reason)) continue
      const id = heading.slice(2).replace(/ \([\d.]+ms\)$/, '')
      builder.fail(id, () => testFailure(id, reason))
    }
  }
  const { failed } = builder.counts()
  const passed = lists.reduce((sum, list) => sum + (list[1]?.replaceAll(/[^.]/g, '').length ?? 0), 0)
  return failed === 0 ? undefined : builder.report({ counts: { passed, failed, skipped: 0 } })
}
