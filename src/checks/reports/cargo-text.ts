import type { ReportParser } from '../check.ts'
import { CargoErrors } from './cargo-errors.ts'
import { CargoTests } from './cargo-tests.ts'
import { linesOf } from './lines-of.ts'
import { plainText } from './plain-text.ts'
import { reportBuilder } from './report-builder.ts'

/**
 * `cargo test`, `build`, `check` and `clippy`: known by the closing line of a target, or by the line that a crate could not be
 * compiled. Every error of the compiler is a failure, under its file, code and words.
 *
 * @part cargo
 */
export const cargoText: ReportParser = (output) => {
  const text = plainText(output)
  if (!/^test result: (?:ok|FAILED)\. \d+ passed;|^error: could not compile `/m.test(text)) return undefined
  const builder = reportBuilder('cargo')
  const tests = new CargoTests(builder)
  const errors = new CargoErrors(builder)
  for (const line of linesOf(text)) {
    if (!tests.isInside) errors.line(line)
    tests.line(line)
  }
  errors.end()
  tests.end()
  const { passed, failed, skipped } = tests.counted
  return builder.report({
    hasAllTests: tests.hasAllTests && tests.ended > 0,
    counts: { passed, failed: failed + errors.count, skipped },
  })
}
