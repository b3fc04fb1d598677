import { stripVTControlCharacters } from 'node:util'
import type { Failure } from '../../core/failure.ts'
import type { Report, ReportParser } from '../check.ts'
import { type Fields, fieldsOf } from '../../core/json.ts'
import { countOf, jsonReport, membersOf, textOf } from './json-documents.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { count, linesOf, plainText, type TextBlock, textBlocks } from './report-text.ts'
import { failureKind, shownValue, testFailure } from './test-failure.ts'

/**
 * `jest --json`, with or without the text that jest prints beside it.
 *
 * @part jest-json
 */
export const jestJson: ReportParser = (output) =>
  jestShape('jest-json', output, /^[ \t]{0,20}\{\s{0,20}"numFailedTestSuites"\s{0,20}:/gm)

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
  const brokenFiles = files.reduce((sum, file) => sum + readTextOfFile(file, builder), 0)
  const counts = {
    passed: count(closing, 'passed'),
    failed: count(closing, 'failed') + brokenFiles,
    skipped: count(closing, 'skipped') + count(closing, 'todo'),
  }
  const { passed, skipped } = builder.counts()
  return builder.report({ counts, hasAllTests: passed === counts.passed && skipped === counts.skipped })
}

/** Gives the number of files that could not be loaded: one or none. */
function readTextOfFile(file: TextBlock, builder: ReportBuilder): number {
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

/**
 * The JSON that jest and vitest share. Ids are the file, the suites and the test: the same name may be in several files. A file
 * that failed although none of its tests did (it could not be loaded, a hook threw) is one failure, under its path.
 */
export function jestShape(format: string, output: string, start: RegExp): Report | undefined {
  return jsonReport(format, output, start, (document, builder) => readDocument(fieldsOf(document), builder), {
    hasAllTests: true,
  })
}

function readDocument(document: Fields, builder: ReportBuilder): void {
  const { testResults, success, numTotalTests, numFailedTests } = document
  if (!Array.isArray(testResults)) builder.doubt('The report has no list of test files.')
  const before = builder.counts()
  let listed = 0
  for (const each of membersOf(testResults)) {
    const file = fieldsOf(each)
    listed += membersOf(file['assertionResults']).length
    readFile(file, builder)
  }
  const failed = builder.counts().failed - before.failed
  if ((countOf(numTotalTests) ?? 0) > listed)
    builder.doubt(`The report counts ${countOf(numTotalTests)} tests but lists ${listed}.`)
  if (failed < (countOf(numFailedTests) ?? 0)) builder.doubt('The report counts more failed tests than it lists.')
  // An error outside of all tests is in no list.
  if (success !== true && failed === 0) builder.doubt('The report says that the run failed, but names no failure.')
}

function readFile(file: Fields, builder: ReportBuilder): void {
  const path = textOf(file['name']) ?? textOf(file['testFilePath'])
  const failedBefore = builder.counts().failed
  for (const each of membersOf(file['assertionResults'])) {
    const test = fieldsOf(each)
    const names = [...membersOf(test['ancestorTitles']), test['title'] ?? test['fullName']].filter((name) => textOf(name))
    const id = [path, ...names].filter((part) => part !== undefined).join(' > ')
    if (test['status'] === 'failed') builder.fail(id, () => failureOf(test, path))
    else builder.add(test['status'] === 'passed' ? 'passed' : 'skipped', id)
  }
  if (file['status'] !== 'failed' || builder.counts().failed > failedBefore) return
  const said = textOf(file['message']) ?? textOf(fieldsOf(file['testExecError'])['message'])
  const text = stripVTControlCharacters(said ?? 'The file failed outside of its tests: while it was loaded, or in a hook.')
  // jest puts a heading over it.
  const reason = text.replace(/^\s*● Test suite failed to run\s*/, '')
  builder.fail(path ?? 'test file', () => jestFailure('', reason, path))
}

function failureOf(test: Fields, path: string | undefined): Omit<Failure, 'id'> {
  const text = stripVTControlCharacters(
    membersOf(test['failureMessages'])
      .map(textOf)
      .find((each) => each !== undefined) ?? '',
  )
  const line = countOf(fieldsOf(test['location'])['line'])
  const known = jestFailure('', text, path)
  const place = line !== undefined && known.line === undefined ? { line } : {}
  // What vitest up to version 3 writes where a test ran out of time.
  if (text.startsWith('Error: STACK_TRACE_ERROR')) return { ...known, ...place, kind: 'timeout', message: 'The test timed out.' }
  return { ...known, ...place, ...pairOf(test) }
}

/** jest hands the compared values over; a field that JSON cannot hold is missing, then the message has to tell. */
function pairOf(test: Fields): Partial<Failure> {
  const result = fieldsOf(fieldsOf(membersOf(test['failureDetails'])[0])['matcherResult'])
  if (!('expected' in result) || !('actual' in result)) return {}
  return { expected: shownValue(result['expected']), received: shownValue(result['actual']) }
}

/**
 * A failure from jest's words. Where jest could not read a file it first gives advice, and the reason under `Details:`. What is no
 * assertion is an exception: the code frame under it speaks of `expect` all the same.
 */
function jestFailure(id: string, text: string, file: string | undefined): Failure {
  const details = text.indexOf('\n    Details:\n')
  const reason = details < 0 ? text : text.slice(details + DETAILS_LENGTH)
  const failure = testFailure(id, reason)
  const kind = failureKind(failure.message)
  // `SyntaxError: a.test.js: Unexpected token (2:8)`
  const line = /\((\d{1,7}):\d+\)$/m.exec(failure.message)?.[1]
  return {
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line: Number(line) }),
    ...failure,
    kind: kind === 'unknown' ? 'exception' : kind,
  }
}

const DETAILS_LENGTH = '\n    Details:\n'.length
