import type { ReportParser } from '../check.ts'
import { jsonDocuments } from './json-documents.ts'
import { countOf, fieldsOf, membersOf, textOf } from './json-value.ts'
import { lintFailure } from './lint-failure.ts'
import { plainText } from './plain-text.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'

/**
 * `eslint --format json`. Errors are failures; warnings are not, and nothing is counted as passed.
 *
 * @part eslint-json
 */
export const eslintJson: ReportParser = (output) => {
  const documents = jsonDocuments(plainText(output), /^[ \t]{0,20}\[\s{0,20}\{\s{0,20}"filePath"\s{0,20}:/gm)
  if (documents === undefined) return undefined
  const builder = reportBuilder('eslint-json')
  if (documents.trouble !== undefined) builder.doubt(documents.trouble)
  for (const file of documents.values.flatMap(membersOf)) readFile(fieldsOf(file), builder)
  return builder.report()
}

function readFile(file: Readonly<Record<string, unknown>>, builder: ReportBuilder): void {
  const path = textOf(file['filePath']) ?? 'unknown file'
  let errors = 0
  for (const each of membersOf(file['messages'])) {
    const { severity, ruleId, message, line, fatal } = fieldsOf(each)
    if (severity !== 2 && fatal !== true) continue
    errors += 1
    const problem = {
      file: path,
      line: countOf(line),
      rule: textOf(ruleId),
      message: textOf(message) ?? '',
      isFatal: fatal === true,
    }
    lintFailure(builder, problem)
  }
  if (countOf(file['errorCount']) !== errors) {
    builder.doubt(`The report counts ${String(file['errorCount'])} errors in ${path} but lists ${errors}.`)
  }
}
