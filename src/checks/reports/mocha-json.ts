import { stripVTControlCharacters } from 'node:util'
import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../check.ts'
import { jsonDocuments } from './json-documents.ts'
import { countOf, fieldsOf, membersOf, textOf } from './json-value.ts'
import { plainText } from './plain-text.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { shownValue } from './shown-value.ts'
import { testFailure } from './test-failure.ts'

/**
 * `mocha --reporter json`. Every test stands in one of the lists `failures`, `pending` and `passes`; a hook that failed stands in
 * the first only. Ids are the file, the suites as mocha joins them, and the test.
 *
 * @part mocha-json
 */
export const mochaJson: ReportParser = (output) => {
  const documents = jsonDocuments(
    plainText(output),
    /^[ \t]{0,20}\{\s{0,20}"stats"\s{0,20}:\s{0,20}\{\s{0,20}"suites"\s{0,20}:/gm,
  )
  if (documents === undefined) return undefined
  const builder = reportBuilder('mocha-json')
  if (documents.trouble !== undefined) builder.doubt(documents.trouble)
  for (const document of documents.values) readDocument(fieldsOf(document), builder)
  return builder.report({ hasAllTests: true })
}

type Fields = Readonly<Record<string, unknown>>

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
