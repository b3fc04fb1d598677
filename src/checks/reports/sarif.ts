import type { ReportParser } from '../check.ts'
import { type Fields, fieldsOf } from '../../core/json.ts'
import { countOf, jsonDocuments, membersOf, textOf } from './json-documents.ts'
import { lintFailure, reportBuilder, type ReportBuilder } from './report-builder.ts'
import { plainText } from './report-text.ts'
import { plainPath } from './stack-frame.ts'

/**
 * SARIF 2, as linters and scanners write it. Results of level `error` are failures, and so is what the tool says of its own
 * trouble at that level (a file it cannot parse); warnings, notes, suppressed results and those that are no problem are not.
 * Nothing is counted as passed.
 *
 * @part sarif
 */
export const sarif: ReportParser = (output) => {
  const text = plainText(output)
  const documents = jsonDocuments(text, /^\{\s{0,20}"(?:\$schema|version|runs)"\s{0,20}:/gm)
  const logs = documents?.values.map(fieldsOf).filter(isSarif) ?? []
  if (documents === undefined || logs.length === 0) return undefined
  const builder = reportBuilder('sarif')
  if (documents.trouble !== undefined) builder.doubt(documents.trouble)
  for (const log of logs) {
    if (!Array.isArray(log['runs'])) builder.doubt('The SARIF report has no runs.')
    for (const run of membersOf(log['runs'])) readRun(fieldsOf(run), builder)
  }
  return builder.report()
}

function isSarif(log: Fields): boolean {
  return (
    (textOf(log['$schema']) ?? '').includes('sarif') ||
    (textOf(log['version'])?.startsWith('2.') === true && Array.isArray(log['runs']))
  )
}

function readRun(run: Fields, builder: ReportBuilder): void {
  const driver = fieldsOf(fieldsOf(run['tool'])['driver'])
  const rules = membersOf(driver['rules']).map(fieldsOf)
  if (run['results'] === null)
    builder.doubt(`${textOf(driver['name']) ?? 'The tool'} could not run: its SARIF report has no results.`)
  for (const each of membersOf(run['results'])) {
    const result = fieldsOf(each)
    if (isProblem(result) && levelOf(result, rules) === 'error')
      add(result, textOf(result['ruleId']) ?? ruleOf(result, rules), builder)
  }
  for (const each of membersOf(run['invocations'])) {
    const invocation = fieldsOf(each)
    const notes = [
      ...membersOf(invocation['toolConfigurationNotifications']),
      ...membersOf(invocation['toolExecutionNotifications']),
    ]
    for (const note of notes.map(fieldsOf)) {
      if (note['level'] === 'error') add(note, textOf(fieldsOf(note['descriptor'])['id']), builder)
    }
    if (invocation['executionSuccessful'] === false && builder.counts().failed === 0) {
      builder.doubt(`${textOf(driver['name']) ?? 'The tool'} says that it did not run to its end.`)
    }
  }
}

/** Kinds other than `fail` tell of what was looked at; a baseline may tell of what is gone; a person may have let it be. */
function isProblem({ kind = 'fail', baselineState, suppressions }: Fields): boolean {
  const isSuppressed = membersOf(suppressions).some((each) => (fieldsOf(each)['status'] ?? 'accepted') === 'accepted')
  return kind === 'fail' && baselineState !== 'absent' && !isSuppressed
}

function levelOf(result: Fields, rules: readonly Fields[]): string {
  const rule = ruleIn(result, rules)
  return textOf(result['level']) ?? textOf(fieldsOf(rule['defaultConfiguration'])['level']) ?? 'warning'
}

function ruleOf(result: Fields, rules: readonly Fields[]): string | undefined {
  return textOf(ruleIn(result, rules)['id'])
}

function ruleIn(result: Fields, rules: readonly Fields[]): Fields {
  const index = countOf(result['ruleIndex']) ?? countOf(fieldsOf(result['rule'])['index'])
  return (index === undefined ? undefined : rules[index]) ?? rules.find((rule) => rule['id'] === result['ruleId']) ?? {}
}

function add(result: Fields, rule: string | undefined, builder: ReportBuilder): void {
  const place = fieldsOf(fieldsOf(membersOf(result['locations'])[0])['physicalLocation'])
  const said = fieldsOf(result['message'])
  const uri = textOf(fieldsOf(place['artifactLocation'])['uri'])
  lintFailure(builder, {
    file: uri === undefined ? '' : pathOf(uri),
    line: countOf(fieldsOf(place['region'])['startLine']),
    rule,
    message: textOf(said['text']) ?? textOf(said['markdown']) ?? textOf(said['id']) ?? 'A problem without a word on it.',
    isFatal: false,
  })
}

function pathOf(uri: string): string {
  if (uri.startsWith('file://')) return plainPath(uri)
  try {
    return plainPath(decodeURIComponent(uri))
  } catch {
    // A percent sign that is only a percent sign.
    return plainPath(uri)
  }
}
