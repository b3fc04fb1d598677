import type { TestCounts } from '../../core/failure.ts'
import type { Report, ReportParser } from '../check.ts'
import { reportBuilder } from './report-builder.ts'
import { plainText, sum, textBlocks } from './report-text.ts'
import { stackFrame } from './stack-frame.ts'
import { testFailure, valuePair } from './test-failure.ts'

/** How a runner prints for people. All of them close with counts, and print a heading for each test that failed. */
interface Console {
  readonly format: string
  /** The line with the counts, as groups: `total`, `passed`, `failed`, `errors`, `skipped`. Several are added up. */
  readonly closing: RegExp
  /** The heading of a test that failed; its first group is the name. */
  readonly heading: RegExp
  /** What ends the lines below a heading, besides the next heading. */
  readonly end: RegExp
  /** A line for each test, with the groups `name` and `passed` or `skipped`, if the runner lists them all. */
  readonly listed?: RegExp
  /** What the runner says of a test that printed nothing, as groups `name` and `reason`. */
  readonly reasons?: RegExp
  /** The part of the text that has headings of failures. Default: all of it. */
  readonly region?: (text: string) => string
}

function consoleText({ format, closing, heading, end, listed, reasons, region = (text) => text }: Console): ReportParser {
  return (output): Report | undefined => {
    const text = plainText(output)
    const closings = [...text.matchAll(closing)].map(({ groups = {} }) => groups)
    if (closings.length === 0) return undefined
    const builder = reportBuilder(format)
    const all = listed ? [...text.matchAll(listed)].map(({ groups = {} }) => groups) : []
    for (const { name = '', passed, skipped } of all)
      if (passed !== undefined || skipped !== undefined) builder.add(passed === undefined ? 'skipped' : 'passed', name)
    const why = new Map(reasons ? [...text.matchAll(reasons)].map(({ groups = {} }) => [groups['name'], groups['reason']]) : [])
    for (const { heading: id, text: below } of textBlocks(region(text), heading, end)) {
      const told = below.trim() === '' ? (why.get(id) ?? '') : below
      const values = valuePair(told)
      builder.fail(id, () => testFailure(id, told, { ...stackFrame(told), ...(values && { ...values, kind: 'assertion' }) }))
    }
    const counts = countsIn(closings)
    const skipped = Math.max(counts.skipped, builder.counts().skipped)
    return builder.report({ counts: { ...counts, skipped }, hasAllTests: listed !== undefined })
  }
}

type Groups = Readonly<Record<string, string | undefined>>

function countsIn(closings: readonly Groups[]): TestCounts {
  const total = (name: string): number => sum(closings.map((groups) => groups[name]))
  const [failed, skipped] = [total('failed') + total('errors'), total('skipped')]
  const isCounted = closings.some(({ passed }) => passed !== undefined)
  return { passed: isCounted ? total('passed') : Math.max(0, total('total') - failed - skipped), failed, skipped }
}

/**
 * CMake's ctest.
 *
 * @part ctest
 */
export const ctestText = consoleText({
  format: 'ctest',
  closing: /^\d{1,3}% tests passed, (?<failed>\d{1,9}) tests? failed out of (?<total>\d{1,9})$/gm,
  heading: /^ *\d+\/\d+ Test +#\d+: (\S+) \.*[A-Za-z :]{0,60}\*\*\*(?!Not Run|Skipped)/,
  end: /^ +Start +\d+: |^ *\d+\/\d+ Test +#|^\d{1,3}% tests passed/,
  reasons: /^\s+\d+ - (?<name>\S+) \((?<reason>[^)]{1,100})\)$/gm,
  listed:
    /^ *\d+\/\d+ Test +#\d+: (?<name>\S+) \.* *(?:(?<passed>Passed)|(?<skipped>\*\*\*(?:Not Run|Skipped))|[A-Za-z :]{0,60}\*\*\*)/gm,
})

/**
 * `dotnet test`, with its short or its long closing lines.
 *
 * @part dotnet
 */
export const dotnetText = consoleText({
  format: 'dotnet',
  closing:
    /^(?:Passed|Failed)! +- Failed: +(?<failed>\d{1,9}), Passed: +(?<passed>\d{1,9}), Skipped: +(?<skipped>\d{1,9}), Total: |^Total tests: (?<total>\d{1,9})(?:\n +Passed: \d{1,9})?(?:\n +Failed: (?<errors>\d{1,9}))?$/gm,
  heading: /^ +Failed (\S.*?) \[<? ?\d.*\]$/,
  end: /^ +(?:Passed|Skipped) \S.* \[|^(?:Passed|Failed)! +- |^Test Run |^Total tests: /,
})

/**
 * Maven's surefire and failsafe.
 *
 * @part maven
 */
export const mavenText = consoleText({
  format: 'maven',
  closing:
    /^(?:\[\w+\] )?Tests run: (?<total>\d{1,9}), Failures: (?<failed>\d{1,9}), Errors: (?<errors>\d{1,9}), Skipped: (?<skipped>\d{1,9})$/gm,
  heading: /^(?:\[ERROR\] )? *(?!Tests run)(\S+) (?:-- )? *Time elapsed: .* <<< (?:FAILURE|ERROR)!$/,
  end: /^\[\w+\]/,
})

/**
 * Gradle, which prints counts only if a test failed.
 *
 * @part gradle
 */
export const gradleText = consoleText({
  format: 'gradle',
  closing: /^(?<total>\d{1,9}) tests? completed(?:, (?<failed>\d{1,9}) failed)?(?:, (?<skipped>\d{1,9}) skipped)?$/gm,
  heading: /^(?!> Task)(\S.* > .*\S) FAILED$/,
  end: /^\S/,
})

/**
 * PHPUnit.
 *
 * @part phpunit
 */
export const phpunitText = consoleText({
  format: 'phpunit',
  closing:
    /^OK \((?<passed>\d{1,9}) tests?, \d+ assertions?\)$|^Tests: (?<total>\d{1,9}), Assertions: \d+(?:, Errors: (?<errors>\d{1,9}))?(?:, Failures: (?<failed>\d{1,9}))?(?:, (?:\w+ )?(?:Warnings|Deprecations|Notices): \d+)*(?:, Skipped: (?<skipped>\d{1,9}))?(?:, \w+: \d+)*\.$/gm,
  heading: /^\d+\) (\S+::\S.*)$/,
  end: /^--$|^(?:FAILURES|ERRORS|WARNINGS)!$/,
  region: (text) =>
    textBlocks(
      text,
      /^There (?:was|were) \d+ ((?:failure|error)s?):$/,
      /^There (?:was|were) \d+ |^(?:FAILURES|ERRORS|WARNINGS)!$/,
    )
      .map((block) => block.text)
      .join('\n--\n'),
})
