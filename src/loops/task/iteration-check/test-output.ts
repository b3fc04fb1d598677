import { FAILURES_KEPT_MAX } from '../../../core/event-data.ts'
import type { Failure, TestCounts } from '../../../core/failure.ts'
import type { OutputReader } from './attempt-facts.ts'

/** Reads one format of test output; `undefined` when the text is not of that format. */
type Parser = (
  output: string,
) => { readonly format: string; readonly counts: TestCounts; readonly failures: readonly Failure[] } | undefined

/** Reads the output of tests with the first parser that understands it; if none does, the last lines. */
export function testOutput(parsers: readonly Parser[]): OutputReader {
  return (output) => {
    if (output.trim() === '') return { failures: [] }
    for (const parse of parsers) {
      const report = parse(output)
      if (!report || report.failures.length === 0) continue
      const { counts, failures, format } = report
      // Prose knows of no tests: its one failure is that of the test run, and it counts nothing.
      if (format === 'general') return { failures: failures.map((failure) => ({ ...fileIn(output), ...failure, id: 'tests' })) }
      return { counts, failures: failures.slice(0, FAILURES_KEPT_MAX) }
    }
    const message = output.trimEnd().split('\n').slice(-LINES_MAX).join('\n').slice(-LENGTH_MAX).toWellFormed()
    return { failures: [{ id: 'tests', kind: 'unknown', message }] }
  }
}

/** The one file that a headline names: "FAIL src/login.test.ts". */
function fileIn(output: string): Pick<Failure, 'file'> {
  const files = new Set([...output.matchAll(/^\s*(?:FAIL|FAILED|✖|✗|×)\s+([\w@./-]+\.\w+)\s*$/gm)].map((match) => match[1]))
  const [file] = files
  return files.size === 1 && file !== undefined ? { file } : {}
}

const LINES_MAX = 12
const LENGTH_MAX = 2000
