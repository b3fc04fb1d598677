import type { ReportParser } from '../check.ts'
import { lintFailure, reportBuilder } from './report-builder.ts'
import { linesOf, plainText } from './report-text.ts'

/**
 * The errors of compilers and type checkers that print a line for each: gcc and clang (also under make), javac, mypy, MSBuild, and
 * javac and kotlinc under Maven and Gradle. Warnings and notes don't count.
 *
 * @part compiler
 */
export const compiler: ReportParser = (output) => {
  const builder = reportBuilder('compiler')
  const seen = new Set<string>()
  for (const line of linesOf(plainText(output), LINE_CHARACTERS_MAX)) {
    if (!line.includes('error') && !line.startsWith('[ERROR]') && !line.startsWith('e: ') && !line.includes(UNDEFINED)) continue
    const found = LINES.map((pattern) => pattern.exec(line)?.groups).find((groups) => groups !== undefined)
    if (!found) continue
    const { file = '', line: number, code, message = '' } = found
    // MSBuild and Maven say everything twice.
    const key = `${file}:${number}:${message}`
    if (seen.has(key)) continue
    seen.add(key)
    lintFailure(builder, {
      file: file.replace(/^\.\//, ''),
      line: number === undefined ? undefined : Number(number),
      rule: code,
      message,
      isFatal: true,
    })
  }
  return seen.size === 0 ? undefined : builder.report()
}

const LINE_CHARACTERS_MAX = 2000
const UNDEFINED = 'undefined reference to'

const LINES: readonly RegExp[] = [
  /^(?<file>(?:[A-Za-z]:[\\/])?[^\s:()[\]][^:()[\]]{0,300}):(?<line>\d{1,7})(?::\d+)?: (?:fatal )?error: (?<message>.*?)(?: +\[(?<code>[\w-]+)\])?$/,
  /^ *(?<file>[^\s(][^(]{0,300})\((?<line>\d{1,7}),\d+\): error (?<code>(?!TS)[A-Z]+\d+): (?<message>.*?)(?: \[[^\]]+\])?$/,
  /^\[ERROR\] (?<file>[^\s:[\]]{1,300}):\[(?<line>\d{1,7}),\d+\] (?:error: )?(?<message>.*)$/,
  /^e: (?:file:\/\/)?(?<file>\/[^\s:]{1,300}):(?<line>\d{1,7}):\d+ (?<message>.*)$/,
  /^(?:\S*ld: )?(?<file>[^\s:()]{1,300}):(?:\([^)]{1,100}\)|(?<line>\d{1,7})): (?<message>undefined reference to .*)$/,
]
