import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../check.ts'
import { tellingLines } from './general.ts'
import { plainText } from './plain-text.ts'
import { isTodo, nodeSpecTree } from './node-spec-tree.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { sourceLocation } from './source-location.ts'
import { testFailure } from './test-failure.ts'
import { isCut, sum, textBlocks } from './text-blocks.ts'

/**
 * node:test's spec reporter, the default since Node 23 also where no terminal is. Failed tests are listed at the end by their
 * last name only; the tree above gives the names of the suites around them, and the tests that passed.
 *
 * @part node
 */
export const nodeSpecText: ReportParser = (output) => {
  const text = plainText(output)
  // Only together: a test may print one of these lines.
  const closings = text.match(CLOSING)?.join('\n')
  if (closings === undefined) return undefined
  const closing = (word: string) => Array.from(closings.matchAll(new RegExp(`^ℹ ${word} (\\d{1,9})`, 'gm')), (match) => match[1])
  const builder = reportBuilder('node')
  const tree = nodeSpecTree(text)
  addFailures(text, tree.failed, builder)
  for (const { id, outcome } of tree.others) builder.add(outcome, id)
  // Both a test and its subtests are counted; the list has a test only if it failed by itself.
  const listed = builder.counts()
  const said = sum(closing('fail')) + sum(closing('cancelled'))
  const failed = listed.failed > 0 && !isCut(text) ? listed.failed : said
  if (closing('duration_ms').length < closing('fail').length) builder.doubt('The text ends before its closing lines do.')
  const counts = { passed: sum(closing('pass')), failed, skipped: sum(closing('skipped')) + sum(closing('todo')) }
  return builder.report({ counts, hasAllTests: listed.passed === counts.passed && listed.skipped === counts.skipped })
}

const CLOSING = /^ℹ tests \d+\n(?:ℹ suites \d+\n)?ℹ pass \d+\nℹ fail \d+$(?:\nℹ [a-z_]+ [\d.]+$)*/gm

function addFailures(text: string, paths: ReadonlyMap<string, (readonly string[])[]>, builder: ReportBuilder): void {
  const used = new Map<string, number>()
  const lists = text.split(/^✖ failing tests:$/m).slice(1)
  for (const { heading, text: block } of lists.flatMap((list) => textBlocks(list, /^(test at .+)$/, /^(?:▶|✔|ℹ)/))) {
    const [title = '', ...lines] = block.split('\n')
    const name = /^✖ (.+?)(?: \([\d.]+ms\))?$/.exec(title)?.[1]
    if (name === undefined || isTodo(title)) continue
    const index = used.get(name) ?? 0
    used.set(name, index + 1)
    const id = (paths.get(name)?.[index] ?? [name]).join(' > ')
    builder.fail(id, () => failureOf(id, heading, reasonIn(lines.join('\n'), title, text)))
  }
}

function failureOf(id: string, heading: string, reason: string): Failure {
  return { ...sourceLocation(heading), ...testFailure(id, reason) }
}

/**
 * An error without a stack is printed in quotes. Of a file that broke before its tests began, the reason is what it printed
 * just before.
 */
function reasonIn(text: string, title: string, output: string): string {
  const reason = /^'(.*)'$/.exec(text.trim())?.[1] ?? text
  if (reason !== 'test failed') return reason
  const end = Math.max(0, output.indexOf(title))
  const before = output.slice(Math.max(0, end - PRINTED_CHARACTERS_MAX), end)
  const printed = before.split(/^\s*(?:▶|✔|✖|﹣) .*$/m).at(-1) ?? ''
  return `${reason}\n${tellingLines(printed)}`.trim()
}

const PRINTED_CHARACTERS_MAX = 5000
