import type { ReportParser } from '../check.ts'
import { type Fields, fieldsOf } from '../../core/json.ts'
import { countOf, jsonReport, membersOf, textOf } from './json-documents.ts'
import { lintFailure, type LintProblem, reportBuilder, type ReportBuilder } from './report-builder.ts'
import { plainText, sum } from './report-text.ts'

/**
 * `eslint --format json`. Errors are failures; warnings are not, and nothing is counted as passed.
 *
 * @part eslint-json
 */
export const eslintJson: ReportParser = (output) =>
  jsonReport('eslint-json', output, /^[ \t]{0,20}\[\s{0,20}\{\s{0,20}"filePath"\s{0,20}:/gm, (files, builder) => {
    for (const file of membersOf(files)) readFile(fieldsOf(file), builder)
  })

function readFile(file: Fields, builder: ReportBuilder): void {
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

/**
 * eslint for people: `stylish` (the default), `unix` and `compact`. Errors are failures, warnings are not.
 *
 * @part eslint
 */
export const eslintText: ReportParser = (output) => {
  const text = plainText(output)
  if (!MARKS.some((mark) => text.includes(mark))) return undefined
  const problems = { errors: [] as LintProblem[], warnings: 0 }
  let file = ''
  for (const line of text.split('\n')) {
    if (line.length > LINE_CHARACTERS_MAX) continue
    if (PATH.test(line)) file = line
    const one = problemIn(line, file)
    if (one?.isError === true) problems.errors.push(one.problem)
    else if (one !== undefined) problems.warnings += 1
  }
  const stylish = [...text.matchAll(/^✖ (\d+) problems? \((\d+) errors?, (\d+) warnings?\)$/gm)]
  const plain = [...text.matchAll(/^(\d+) problems?$/gm)]
  const listed = problems.errors.length + problems.warnings
  if (listed === 0 && stylish.length === 0) return undefined
  const builder = reportBuilder('eslint')
  for (const problem of problems.errors) lintFailure(builder, problem)
  const counted = sum([...stylish, ...plain].map((match) => match[1]))
  if (counted !== listed) builder.doubt(`The report counts ${counted} problems but lists ${listed}: it is cut off or broken.`)
  return builder.report({ counts: { passed: 0, failed: sum(stylish.map((match) => match[2])), skipped: 0 } })
}

/** Every report has one of these; looking for them is cheaper than reading lines. */
const MARKS = ['  error  ', '  warning  ', ' problem', '[Error', '[Warning', ', Error - ', ', Warning - ']

const LINE_CHARACTERS_MAX = 5000

/** A line that is a path and nothing else. */
const PATH = /^(?:[A-Za-z]:)?[^\s:][^:]*\.\w+$/

interface Found {
  readonly isError: boolean
  readonly problem: LintProblem
}

function problemIn(line: string, file: string): Found | undefined {
  const stylish = /^ {2}(?<line>\d+):\d+ +(?<level>error|warning) {2,}(?<message>\S.*)$/.exec(line)?.groups
  if (stylish !== undefined) {
    // The rule is in the last column, apart from the message by two blanks at least.
    const { line: at, level, message: said = '' } = stylish
    const [, message = said, rule] = /^(.*?\S) {2,}([@\w/-]+)$/.exec(said) ?? []
    return found(level, file === '' ? 'unknown file' : file, at, message, rule)
  }
  const unix =
    /^(?<file>[^\s:](?:[^:]|:(?=[\\/]))*):(?<line>\d+):\d+: (?<message>.*) \[(?<level>Error|Warning)(?:\/(?<rule>[^\]]+))?\]$/
  const compact =
    /^(?<file>\S.*?): line (?<line>\d+), col \d+, (?<level>Error|Warning) - (?<message>.*?)(?: \((?<rule>[@\w/-]+)\))?$/
  const groups = (unix.exec(line) ?? compact.exec(line))?.groups
  if (groups === undefined) return undefined
  return found(groups['level'], groups['file'] ?? '', groups['line'], groups['message'] ?? '', groups['rule'])
}

function found(
  level: string | undefined,
  file: string,
  line: string | undefined,
  message: string,
  rule: string | undefined,
): Found {
  const problem = { file, line: line === undefined ? undefined : Number(line), rule, message, isFatal: false }
  return { isError: level?.toLowerCase() === 'error', problem }
}
