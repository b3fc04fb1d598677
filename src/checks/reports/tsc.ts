import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../check.ts'
import { reportBuilder } from './report-builder.ts'
import { plainText, sum } from './report-text.ts'

/**
 * The errors of the TypeScript compiler, as one line each or `--pretty`, of one project or several after each other. The id of an
 * error is file, code and message: lines move with every edit.
 *
 * @part tsc
 */
export const tsc: ReportParser = (output) => {
  const text = plainText(output)
  const builder = reportBuilder('tsc')
  for (let at = text.indexOf(MARK); at >= 0;) {
    const start = text.lastIndexOf('\n', at) + 1
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    const found = end - start <= LINE_CHARACTERS_MAX ? ERROR.exec(text.slice(start, end))?.groups : undefined
    if (found !== undefined) {
      const {
        file,
        line = found['prettyLine'],
        code = '',
        message = '',
      } = { ...found, file: found['file'] ?? found['prettyFile'] }
      const id = [file, `${code}: ${message.slice(0, 200)}`].filter((part) => part !== undefined).join(' > ')
      builder.fail(id, () => failureOf(file, line, `${code}: ${message}${continued(text, end)}`))
    }
    at = text.indexOf(MARK, end)
  }
  const counted = sum(Array.from(text.matchAll(/^Found (\d{1,9}) errors?\b/gm), (match) => match[1]))
  const { failed } = builder.counts()
  if (failed === 0) return undefined
  if (counted > failed) builder.doubt(`The compiler counts ${counted} errors but lists ${failed}.`)
  return builder.report({ counts: { passed: 0, failed: counted, skipped: 0 } })
}

const MARK = 'error TS'
const LINE_CHARACTERS_MAX = 5000

/** `src/a.ts(7,12): error TS2322: …`, `src/a.ts:7:12 - error TS2322: …`, or without a place. */
const ERROR =
  /^(?:(?<file>\S.*?)\((?<line>\d+),\d+\): |(?<prettyFile>\S.*?):(?<prettyLine>\d+):\d+ - )?error (?<code>TS\d+): (?<message>.*)$/

/** The lines under an error that explain it further are indented; in pretty output an empty line ends them. */
function continued(text: string, end: number): string {
  const lines = text.slice(end + 1, end + 4000).split('\n')
  const stop = lines.findIndex((line) => !/^ {2,}\S/.test(line))
  return (stop < 0 ? lines : lines.slice(0, stop)).map((line) => `\n${line}`).join('')
}

function failureOf(file: string | undefined, line: string | undefined, message: string): Omit<Failure, 'id'> {
  const { received, expected } =
    /^TS\d+: (?:Type|Argument of type) '(?<received>.*)' is not assignable to (?:type|parameter of type) '(?<expected>.*)'\.$/m.exec(
      message,
    )?.groups ?? {}
  return {
    kind: 'compile',
    message,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line: Number(line) }),
    ...(received !== undefined && expected !== undefined && { expected, received }),
  }
}
