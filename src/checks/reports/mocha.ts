import { stripVTControlCharacters } from 'node:util'
import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../check.ts'
import { type Fields, fieldsOf } from '../../core/json.ts'
import { countOf, jsonReport, membersOf, textOf } from './json-documents.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { count, linesOf, plainText, textBlocks } from './report-text.ts'
import { shownValue, testFailure } from './test-failure.ts'

/**
 * `mocha --reporter json`. Every test is in one of the lists `failures`, `pending` and `passes`; a failed hook is in
 * the first only. Ids are the file, the suites as mocha joins them, and the test.
 *
 * @part mocha-json
 */
export const mochaJson: ReportParser = (output) =>
  jsonReport(
    'mocha-json',
    output,
    /^[ \t]{0,20}\{\s{0,20}"stats"\s{0,20}:\s{0,20}\{\s{0,20}"suites"\s{0,20}:/gm,
    (document, builder) => readDocument(fieldsOf(document), builder),
    { hasAllTests: true },
  )

function readDocument(document: Fields, builder: ReportBuilder): void {
  const stats = fieldsOf(document['stats'])
  // Of a report that is cut off before the list of failures, the list of all tests still has their errors.
  const failures = Array.isArray(document['failures'])
    ? document['failures']
    : membersOf(document['tests']).filter((test) => Object.keys(fieldsOf(fieldsOf(test)['err'])).length > 0)
  for (const test of failures) {
    const { id, file } = nameOf(fieldsOf(test))
    builder.fail(id, () => failureOf(fieldsOf(fieldsOf(test)['err']), file))
  }
  for (const [list, outcome] of [
    ['passes', 'passed'],
    ['pending', 'skipped'],
  ] as const) {
    for (const test of membersOf(document[list])) {
      builder.add(outcome, nameOf(fieldsOf(test)).id)
    }
  }
  for (const list of ['failures', 'passes', 'pending'] as const) {
    const listed = membersOf(document[list]).length
    if (countOf(stats[list]) !== listed) builder.doubt(`The report counts ${String(stats[list])} ${list} but lists ${listed}.`)
  }
}

function nameOf(test: Fields): { readonly id: string; readonly file: string | undefined } {
  const file = textOf(test['file'])
  const title = textOf(test['title']) ?? ''
  const full = textOf(test['fullTitle']) ?? title
  const suites = full.endsWith(title) ? full.slice(0, full.length - title.length).trim() : full
  return { id: [file, suites, title].filter((part) => part !== undefined && part !== '').join(' > '), file }
}

function failureOf(error: Fields, file: string | undefined): Omit<Failure, 'id'> {
  const text = stripVTControlCharacters(textOf(error['stack']) ?? textOf(error['message']) ?? '')
  return {
    ...(file !== undefined && { file }),
    ...testFailure('', text),
    ...(error['code'] === 'ERR_MOCHA_TIMEOUT' && { kind: 'timeout' as const }),
    ...pairOf(error),
  }
}

/** mocha writes most values out as text already; where the two are of different kinds it does not, and then `'42'` is not 42. */
function pairOf({ expected, actual }: Fields): Partial<Failure> {
  if (expected === undefined || actual === undefined) return {}
  const areTexts = typeof expected === 'string' && typeof actual === 'string'
  return areTexts ? { expected, received: actual } : { expected: shownValue(expected), received: shownValue(actual) }
}

/**
 * mocha's closing lines, as nearly all of its reporters print them: `3 passing (12ms)`, `1 pending`, `2 failing`. Files are not
 * named, so ids are the suites and the test. The tests are listed where the text names every one of them (`spec`).
 *
 * @part mocha
 */
export const mochaText: ReportParser = (output) => {
  const text = plainText(output)
  const closings = [...text.matchAll(/^ {2}\d+ passing \(.*\)(?:\n {2}\d+ pending)?(?:\n {2}\d+ failing)?$/gm)]
  if (closings.length === 0) return undefined
  const closing = closings.map((match) => match[0]).join('\n')
  const counts = { passed: count(closing, 'passing'), failed: count(closing, 'failing'), skipped: count(closing, 'pending') }
  const builder = reportBuilder('mocha')
  const lists = [...text.matchAll(/^ {2}(\d{1,9}) failing$/gm)]
  for (const [index, match] of lists.entries()) {
    addFailures(text.slice(match.index, lists[index + 1]?.index), Number(match[1]), builder)
  }
  addOthers(text, builder)
  const { passed, skipped } = builder.counts()
  // An empty line ends the closing lines; without it the count of failures may be missing.
  const isWhole = closings.every((match) => /^\n[ \t]*\n/.test(text.slice(match.index + match[0].length).slice(0, 200)))
  if (!isWhole) builder.doubt('The text ends before its closing lines do.')
  return builder.report({ counts, hasAllTests: passed === counts.passed && skipped === counts.skipped })
}

/** What comes after as many as are counted may be the tree of the next run, which numbers its failures too. */
function addFailures(list: string, failed: number, builder: ReportBuilder): void {
  for (const block of textBlocks(list, /^ {2}\d+\) (.+)$/).slice(0, failed)) {
    // The title continues over indented lines, one for each suite, and ends with a colon.
    const titleLines = [block.heading]
    const lines = block.text.split('\n')
    let next = 0
    while (!titleLines.at(-1)?.endsWith(':') && next < lines.length) titleLines.push(lines[next++]?.trim() ?? '')
    const id = titleLines
      .filter((line) => line !== '')
      .join(' > ')
      .replace(/:$/, '')
    builder.fail(id, () => failureInText(id, lines.slice(next).join('\n')))
  }
}

function failureInText(id: string, text: string): Failure {
  const failure = testFailure(id, text)
  // A timeout has no stack; the file follows the message.
  const file = failure.kind === 'timeout' ? /\(([^()\n]+\.\w+)\)$/m.exec(failure.message)?.[1] : undefined
  return file === undefined || failure.file !== undefined ? failure : { ...failure, file }
}

/** The tree of the spec reporter: suites by their indent, a mark before every test. */
function addOthers(text: string, builder: ReportBuilder): void {
  const suites: string[] = []
  for (const line of linesOf(text)) {
    if (!line.startsWith('  ')) continue
    if (line.includes(' passing (') && /^ {2}\d+ passing \(/.test(line)) suites.length = 0
    const [, indent = '', mark, name = ''] = /^( {2,})(?:([✔✓√-]|\d+\)) )?(\S.*)$/.exec(line) ?? []
    if (name === '' || indent.length % 2 !== 0 || indent.length > INDENT_MAX) continue
    const depth = indent.length / 2 - 1
    suites.length = Math.min(suites.length, depth)
    if (mark === undefined) suites[depth] = name
    else if (!mark.endsWith(')')) {
      const id = () => [...suites, name.replace(/ \(\d+ms\)$/, '')].filter(Boolean).join(' > ')
      builder.add(mark === '-' ? 'skipped' : 'passed', id)
    }
  }
}

const INDENT_MAX = 100
