import type { Failure } from '../../core/failure.ts'
import { type ReportParser, TESTS_KEPT_MAX } from '../check.ts'
import { tellingLines } from './general.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { isCut, linesOf, plainText, sum, textBlocks } from './report-text.ts'
import { sourceLocation } from './stack-frame.ts'
import { testFailure } from './test-failure.ts'

/**
 * node:test's spec reporter, the default since Node 23 even without a terminal. Failed tests are listed at the end by their
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
  const passed = lists.reduce((total, list) => total + (list[1]?.replaceAll(/[^.]/g, '').length ?? 0), 0)
  return failed === 0 ? undefined : builder.report({ counts: { passed, failed, skipped: 0 } })
}

/** The tests that node:test's spec reporter shows as a tree. */
export interface NodeSpecTree {
  /** The paths of the failed ones by their last name, in order. */
  readonly failed: ReadonlyMap<string, (readonly string[])[]>
  /** The id is empty of those that a report does not name any more. */
  readonly others: readonly { readonly id: string; readonly outcome: 'passed' | 'skipped' }[]
}

/** Reads the tree. `▶ suite` opens a level; a mark with that name at the same level closes it and is the suite itself. */
function nodeSpecTree(text: string): NodeSpecTree {
  const failed = new Map<string, (readonly string[])[]>()
  const others: { id: string; outcome: 'passed' | 'skipped' }[] = []
  const open: string[] = []
  let isInList = false
  for (const line of linesOf(text)) {
    if (line.startsWith('✖ failing tests:')) isInList = true
    // The list ends with the output, or where the next run begins its tree.
    else if (/^(?:▶|✔) /.test(line)) isInList = false
    const found: RegExpExecArray | null = isInList ? null : /^(?<indent> *)(?<mark>[▶✔✖﹣⚠]) (?<rest>.+)$/.exec(line)
    if (found === null) continue
    const { indent = '', mark, rest = '' }: Partial<Record<string, string>> = found.groups ?? {}
    if (indent.length % 2 !== 0 || indent.length > INDENT_MAX) continue
    const depth = indent.length / 2
    open.length = Math.min(open.length, mark === '▶' ? depth : depth + 1)
    const name =
      mark === '▶'
        ? rest
        : rest
            .replace(/ # (?:SKIP|TODO)\b.*$/, '')
            .replace(REMARK, '$1')
            .replace(/ \([\d.]+ms\)$/, '')
    if (mark === '▶') open[depth] = name
    else if (open[depth] === name) open.length = depth
    else {
      const path = () => [...open.slice(0, depth), name]
      if (mark === '✖' && !isTodo(rest)) add(failed, name, path())
      else {
        const isSkipped = mark === '﹣' || mark === '⚠' || isTodo(rest) || / # (?:TODO|SKIP)\b/.test(rest)
        const outcome = isSkipped ? 'skipped' : 'passed'
        others.push(others.length < TESTS_KEPT_MAX ? { id: path().join(' > '), outcome } : UNNAMED[outcome])
      }
    }
  }
  return { failed, others }
}

/**
 * Whether a line is a to-do test: a remark follows its duration. Node 20 marks it and lists it among the
 * failed ones when it fails, but counts it as none.
 */
function isTodo(line: string): boolean {
  return REMARK.test(line)
}

/** The remark may be any words; a name that looks like one has the duration after it. */
const REMARK = /( \([\d.]+ms\)) # (?!.*\([\d.]+ms\)$).*$/

function add(paths: Map<string, (readonly string[])[]>, name: string, path: readonly string[]): void {
  const same = paths.get(name)
  if (same === undefined) paths.set(name, [path])
  else same.push(path)
}

const INDENT_MAX = 100

const UNNAMED = { passed: { id: '', outcome: 'passed' }, skipped: { id: '', outcome: 'skipped' } } as const
