import type { ReportParser } from '../../ports/check.ts'
import { lastLines } from '../../process/last-lines.ts'
import { testFailure } from './test-failure.ts'

/**
 * The last resort: prose. It takes the lines that look most like an error, so it must only be asked about a command that
 * failed. It knows of no tests: it counts one failure, and a check puts its own name in place of the id `output`.
 */
export const general: ReportParser = (output) => {
  const text = tellingLines(output)
  if (text === '') return undefined
  return {
    format: 'general',
    counts: { passed: 0, failed: 1, skipped: 0 },
    failures: [testFailure('output', text, { message: text })],
  }
}

const LINES_MAX = 12
const LINE_CHARACTERS_MAX = 300

/** The first lines that tell of an error, each with what belongs to it; else the last lines there are. */
export function tellingLines(output: string): string {
  const lines = output.split('\n').map((line) => line.slice(0, LINE_CHARACTERS_MAX).toWellFormed().trimEnd())
  const telling = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (telling.size >= LINES_MAX) break
    if (!isTelling(line)) continue
    telling.add(line)
    // The place often stands on the next line: rustc, vitest, Python.
    const next = lines[index + 1] ?? ''
    if (/^\s*(?:-->|❯|at (?!.*node:)\S+.*:\d+|File "|Received|got:)/.test(next)) telling.add(next)
  }
  return telling.size > 0 ? [...telling].join('\n') : lastLines(output, LINES_MAX, 2000)
}

function isTelling(line: string): boolean {
  return TELLING.test(line) && !HARMLESS.test(line)
}

const TELLING =
  /\b(?:error|fatal|panic(?:ked)?|exception|traceback|failed|failure|cannot|unexpected|undefined reference|segmentation fault|assert\w*|expected|received)\b|\b[A-Z]\w*(?:Error|Exception)\b|^\s*[✖✗×]|\bnot ok\b|^E  /i

/** Lines that only count nothing, npm's own epilogue, and code frames that quote the source. */
const HARMLESS = /\b(?:0|no) (?:errors?|failed|failures?|warnings?)\b|^npm (?:error|ERR!)|^\s*>? *\d+ ?\|/i
