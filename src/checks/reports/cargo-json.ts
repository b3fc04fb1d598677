import type { ReportParser } from '../check.ts'
import { CargoErrors, type RustError } from './cargo-errors.ts'
import { CargoTests } from './cargo-tests.ts'
import { countOf, fieldsOf, membersOf, textOf } from './json-value.ts'
import { linesOf } from './lines-of.ts'
import { plainText } from './plain-text.ts'
import { reportBuilder } from './report-builder.ts'

/**
 * `cargo … --message-format=json`: one message a line, and between and after them what cargo and the tests print for people. Every
 * error of the compiler is a failure; warnings are none.
 *
 * @part cargo-json
 */
export const cargoJson: ReportParser = (output) => {
  const text = plainText(output)
  if (!/^\{"reason":"/m.test(text)) return undefined
  const builder = reportBuilder('cargo-json')
  const tests = new CargoTests(builder)
  const errors = new CargoErrors(builder)
  const build = { testPrograms: 0, finished: undefined as boolean | undefined, isNotRun: false }
  for (const line of linesOf(text, Number.POSITIVE_INFINITY)) {
    if (!line.startsWith('{"')) {
      if (/^\s+Executable /.test(line)) build.isNotRun = true
      if (!tests.isInside) errors.line(line)
      tests.line(line.slice(0, LINE_CHARACTERS_MAX))
      continue
    }
    const message = parsed(line)
    if (message === undefined) builder.doubt('The report of cargo is cut off or broken: a line of it is no JSON.')
    else if (message['reason'] === 'compiler-message') addError(message, errors)
    else if (message['reason'] === 'build-finished') build.finished = message['success'] === true
    else if (fieldsOf(message['profile'])['test'] === true && message['executable'] !== null) build.testPrograms += 1
  }
  errors.end()
  tests.end()
  if (build.finished === undefined) builder.doubt('The report of cargo is cut off: it does not say how the build ended.')
  if (build.finished === false && errors.count === 0) errors.add({ message: 'The build failed.' })
  const { passed, failed, skipped } = tests.counted
  const counts = { passed, failed: failed + errors.count, skipped }
  if (counts.failed === 0 && tests.ended < build.testPrograms && !build.isNotRun) {
    builder.doubt(`The report of cargo test is cut off: of ${build.testPrograms} test programs ${tests.ended} came to an end.`)
  }
  return builder.report({ hasAllTests: tests.hasAllTests && tests.ended > 0, counts })
}

const LINE_CHARACTERS_MAX = 4000

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return fieldsOf(JSON.parse(line))
  } catch {
    // The caller says that a line is broken.
    return undefined
  }
}

function addError(envelope: Readonly<Record<string, unknown>>, errors: CargoErrors): void {
  const diagnostic = fieldsOf(envelope['message'])
  const level = textOf(diagnostic['level']) ?? ''
  if (!level.startsWith('error')) return
  const message = textOf(diagnostic['message']) ?? 'The compiler found an error.'
  const spans = membersOf(diagnostic['spans']).map(fieldsOf)
  const span = spans.find((each) => each['is_primary'] === true) ?? spans[0]
  // "aborting due to 2 previous errors" points nowhere.
  if (span === undefined && message.startsWith('aborting due to')) return
  const error: RustError = {
    code: textOf(fieldsOf(diagnostic['code'])['code']),
    message,
    file: textOf(span?.['file_name']),
    line: countOf(span?.['line_start']),
    rendered: textOf(diagnostic['rendered'])?.trim().split('\n', LINES_MAX).join('\n'),
  }
  errors.add(error)
}

const LINES_MAX = 15
