import type { ReportParser } from '../check.ts'
import { jestFailure } from './jest-failure.ts'
import { linesOf } from './lines-of.ts'
import { plainText } from './plain-text.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { count, textBlocks, type TextBlock } from './text-blocks.ts'

/**
 * jest's reporter for people. Ids are the file, the suites and the test. A file that could not be loaded counts as one failure,
 * under its path. The tests are listed where the text names every one of them (`--verbose`).
 *
 * @part jest
 */
export const jestText: ReportParser = (output) => {
  const text = plainText(output)
  const closings = [...text.matchAll(/^Test Suites: .*total\nTests: +(.*total)$/gm)].map((match) => match[1] ?? '')
  if (closings.length === 0) return undefined
  const closing = closings.join('\n')
  const builder = reportBuilder('jest')
  // Long runs end with a summary that repeats every failure.
  const once = text.replaceAll(/^Summary of all failing tests\n[\s\S]*?^(?=Test Suites: )/gm, '')
  const files = textBlocks(once, /^ ?((?:FAIL|PASS) {1,2}\S.*)$/, /^Test Suites: /)
  const brokenFiles = files.reduce((sum, file) => sum + readFile(file, builder), 0)
  const counts = {
    passed: count(closing, 'passed'),
    failed: count(closing, 'failed') + brokenFiles,
    skipped: count(closing, 'skipped') + count(closing, 'todo'),
  }
  const { passed, skipped } = builder.counts()
  return builder.report({ counts, hasAllTests: passed === counts.passed && skipped === counts.skipped })
}

/** Gives the number of files that could not be loaded: one or none. */
function readFile(file: TextBlock, builder: ReportBuilder): number {
  const path = file.heading
    .replace(/^\S+ +/, '')
    .replace(/ \([\d.]+ m?s\)$/, '')
    .replace(/^\.\//, '')
  let broken = 0
  const blocks = file.text.includes('●') ? textBlocks(file.text, /^ {2}● (.+)$/) : []
  for (const block of blocks) {
    if (block.heading === 'Console') continue
    const isBroken = block.heading === 'Test suite failed to run'
    if (isBroken) broken = 1
    const id = isBroken ? path : `${path} > ${block.heading.replaceAll(' › ', ' > ')}`
    builder.fail(id, () => jestFailure(id, block.text, path))
  }
  addOthers(path, file.text, builder)
  return broken
}

/** The tree that `--verbose` prints before the failures: suites by their indent, a mark before every test. */
function addOthers(path: string, text: string, builder: ReportBuilder): void {
  const suites: string[] = []
  for (const line of linesOf(text)) {
    if (!line.startsWith('  ')) continue
    if (line.startsWith('  ● ')) return
    const [, indent = '', mark, name = ''] = /^( {2,})(?:([✓✕○✎√×]) )?(\S.*)$/.exec(line) ?? []
    if (name === '' || indent.length % 2 !== 0 || indent.length > INDENT_MAX) continue
    const depth = indent.length / 2 - 1
    suites.length = Math.min(suites.length, depth)
    if (mark === undefined) suites[depth] = name
    else if (mark !== '✕' && mark !== '×') {
      const test = () => name.replace(/ \(\d[\d.]* m?s\)$/, '').replace(/^(?:skipped|todo) /, '')
      const id = () => [path, ...suites, test()].filter(Boolean).join(' > ')
      builder.add(mark === '✓' || mark === '√' ? 'passed' : 'skipped', id)
    }
  }
}

const INDENT_MAX = 100
