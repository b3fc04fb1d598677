import type { Failure, FailureKind } from '../../core/failure.ts'
import { lastLines } from '../../process/last-lines.ts'
import type { ReportParser } from '../check.ts'
import { reportBuilder } from './report-builder.ts'
import { linesOf, plainText } from './report-text.ts'
import { isInAddress, sourceLocation, stackFrame } from './stack-frame.ts'
import { failureKind, valuePair } from './test-failure.ts'

/**
 * The last resort: prose. It takes the lines that look most like an error, so use it only for a command that failed. It knows no tests: it
 * counts one failure, whose id `output` the check replaces by its own name. Place, frame and values are searched from the first of those
 * lines on.
 *
 * @part general
 */
export const general: ReportParser = (output) => {
  const text = plainText(output)
  const message = tellingLines(text)
  if (message === '') return undefined
  const start = Math.max(0, text.indexOf(message.split('\n', 1)[0] ?? ''))
  const region = text.slice(Math.max(0, start - REGION_BEFORE), start + REGION_AFTER)
  const builder = reportBuilder('general')
  builder.fail('output', () => ({
    message,
    kind: kindOf(message, region),
    ...placeIn(message, region),
    ...(valuePair(message) ?? valuePair(region)),
  }))
  return builder.report()
}

/** Python prints the stack before the error. */
const REGION_BEFORE = 5000
const REGION_AFTER = 30_000
const LINES_MAX = 12
const LINE_CHARACTERS_MAX = 300
const END_CHARACTERS_MAX = 20_000

/** The first lines that report an error, each with its place; else the last lines. */
export function tellingLines(output: string): string {
  const telling = new Set<string>()
  let isAfterTelling = false
  for (const whole of linesOf(output, LINE_CHARACTERS_MAX)) {
    if (telling.size >= LINES_MAX) break
    const line = whole.toWellFormed().trimEnd()
    // The place is often on the next line: rustc, vitest, Python.
    if (isTelling(line)) telling.add(line)
    else if (isAfterTelling && PLACE_BELOW.test(line)) telling.add(line)
    isAfterTelling = isTelling(line)
  }
  return telling.size > 0 ? [...telling].join('\n') : lastLines(output.slice(-END_CHARACTERS_MAX), LINES_MAX, 2000)
}

const PLACE_BELOW = /^\s*(?:-->|❯|at (?!.*node:|\/rustc\/)\S+.*:\d+|File "|Received|got:)/

function isTelling(line: string): boolean {
  return TELLING.test(line) && !HARMLESS.test(line)
}

const TELLING =
  /\b(?:error|fatal|panic(?:ked)?|exception|traceback|failed|failure|cannot|unexpected|undefined reference|segmentation fault|assert\w*|expected|received)\b|\b[A-Z]\w*(?:Error|Exception)\b|^\s*[✖✗×]|\bnot ok\b|^E  /i

/** Lines that only count nothing, the epilogues of npm and make, code frames that quote the source, and Rust's frames. */
const HARMLESS =
  /\b(?:0|no) (?:errors?|failed|failures?|warnings?)\b|^npm (?:error|ERR!)|^\S*make(?:\[\d+\])?: \*\*\* \[.*\] Error \d+$|^\s*>? *\d+ ?\||^\s*\d+: [\w<][\w<>]*::/i

/** A compiler's line, `file:line:col: error:` or MSBuild's `file(line,col): error`, then a stack, then any place at all. */
function placeIn(message: string, region: string): Pick<Failure, 'file' | 'line' | 'frame'> | undefined {
  const compiler = COMPILER_LINE.exec(message)?.groups
  if (compiler?.['file'] !== undefined && !isInAddress(compiler['file']))
    return { file: compiler['file'].replace(/^\.\//, ''), line: Number(compiler['line']) }
  return stackFrame(region) ?? sourceLocation(message) ?? sourceLocation(region)
}

const COMPILER_LINE =
  /^\s*(?:ERROR in )?(?<file>(?:[A-Za-z]:[\\/])?[^\s:()]{1,300})(?::|\()(?<line>\d{1,7})(?:[:,]\d+)?\)?: (?:fatal )?error\b/m

function kindOf(message: string, region: string): FailureKind {
  if (ENVIRONMENT.test(message)) return 'environment'
  if (
    /^\S{1,300}:\d+(?::\d+)?: (?:fatal )?error\b|\berror CS\d+|\berror: cannot find symbol|undefined reference to/m.test(message)
  )
    return 'compile'
  const kind = failureKind(message)
  return kind === 'unknown' ? failureKind(region) : kind
}

const ENVIRONMENT =
  /command not found|: not found$|No space left on device|\b(?:EACCES|ENOSPC|ECONNREFUSED|ENOTFOUND|EADDRINUSE)\b|Could not resolve host|Permission denied|Connection refused/m
