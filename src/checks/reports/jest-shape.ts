import { stripVTControlCharacters } from 'node:util'
import type { Failure } from '../../core/failure.ts'
import type { Report } from '../check.ts'
import { jestFailure } from './jest-failure.ts'
import { jsonDocuments } from './json-documents.ts'
import { countOf, fieldsOf, membersOf, textOf } from './json-value.ts'
import { plainText } from './plain-text.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { shownValue } from './shown-value.ts'

/**
 * The JSON that jest and vitest share. Ids are the file, the suites and the test: the same name may stand in several files. A file
 * that failed although none of its tests did (it could not be loaded, a hook threw) is one failure, under its path.
 */
export function jestShape(format: string, output: string, start: RegExp): Report | undefined {
  const documents = jsonDocuments(plainText(output), start)
  if (documents === undefined) return undefined
  const builder = reportBuilder(format)
  if (documents.trouble !== undefined) builder.doubt(documents.trouble)
  for (const document of documents.values) readDocument(fieldsOf(document), builder)
  return builder.report({ hasAllTests: true })
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

type Fields = Readonly<Record<string, unknown>>

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
