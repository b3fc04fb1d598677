import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../check.ts'
import { reportBuilder } from './report-builder.ts'
import { plainText } from './report-text.ts'
import { testFailure } from './test-failure.ts'

/**
 * GitHub's annotations, `::error file=…,line=…,title=…::message`, as vitest, eslint and others print them for a workflow. Errors
 * are failures; warnings and notices are not. The id is the title, which runners fill with the test's full name; else file and
 * message.
 *
 * @part github
 */
export const githubAnnotations: ReportParser = (output) => {
  const text = plainText(output)
  const builder = reportBuilder('github')
  for (let at = text.indexOf(MARK); at >= 0;) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    const isLineStart = text.slice(text.lastIndexOf('\n', at) + 1, at).trim() === ''
    if (isLineStart) readAnnotation(text.slice(at + MARK.length, Math.min(end, at + LINE_CHARACTERS_MAX)), builder.fail)
    at = text.indexOf(MARK, end)
  }
  return builder.counts().failed === 0 ? undefined : builder.report()
}

const MARK = '::error'
const LINE_CHARACTERS_MAX = 100_000

function readAnnotation(line: string, fail: ReturnType<typeof reportBuilder>['fail']): void {
  const split = line.indexOf('::')
  if (split < 0 || !/^(?: |::)/.test(line)) return
  const fields = new Map(
    line
      .slice(0, split)
      .trim()
      .split(',')
      .map((field): [string, string] => [
        field.slice(0, field.indexOf('=')).trim(),
        decoded(field.slice(field.indexOf('=') + 1)),
      ]),
  )
  const message = decoded(line.slice(split + 2))
  const file = fields.get('file')
  const id = fields.get('title') ?? [file, message.split('\n', 1)[0]?.slice(0, 200)].filter(Boolean).join(' > ')
  const place = Number(fields.get('line'))
  fail(id === '' ? 'annotation' : id, () => failureOf(message, file, place))
}

function failureOf(message: string, file: string | undefined, line: number): Omit<Failure, 'id'> {
  return {
    ...testFailure('', message),
    ...(file !== undefined && { file }),
    ...(Number.isSafeInteger(line) && line > 0 && { line }),
  }
}

function decoded(text: string): string {
  return text.replaceAll(/%(0D|0A|3A|2C|25)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
