import type { Failure, TestCounts, TestResult } from '../../core/failure.ts'

/** What a command that an agent ran proves: a report of tests that one of our parsers knows. */
export interface SeenCheck {
  readonly name: string
  readonly passed: boolean
  readonly counts: TestCounts
  readonly failures: readonly Failure[]
  readonly tests?: readonly TestResult[]
  readonly exitCode?: number
}

/** As much of a report as matters here. */
interface TestReport {
  readonly format: string
  readonly counts: TestCounts
  readonly failures: readonly Failure[]
  readonly tests?: readonly TestResult[]
  readonly trouble?: string
}

/** Reads one format; `undefined` when the text is not of that format. */
export type TestReportParser = (output: string) => TestReport | undefined

/**
 * The check that a shell command was, where what it printed is a whole report that counts tests: the first parser that understands it is
 * believed. Prose, compilers' and linters' lines, and reports that break off say nothing. It passed only where no test failed and the
 * exit code, where there is one, does not say otherwise.
 */
export function seenCheck(
  { command, output, exitCode }: { readonly command: string; readonly output?: string; readonly exitCode?: number },
  parsers: readonly TestReportParser[],
): SeenCheck | undefined {
  if (output === undefined || output.trim() === '') return undefined
  for (const parse of parsers) {
    const report = parse(output)
    if (!report) continue
    const { counts, failures, tests, trouble, format } = report
    if (NO_TESTS.has(format) || trouble !== undefined || counts.passed + counts.failed === 0) return undefined
    const passed = counts.failed === 0 && failures.length === 0 && (exitCode ?? 0) === 0
    // A report without a failure and an exit code of another trouble contradict each other.
    if (!passed && failures.length === 0) return undefined
    const more = { ...(tests ? { tests } : {}), ...(exitCode === undefined ? {} : { exitCode }) }
    return { name: checkName(command), passed, counts, failures, ...more }
  }
  return undefined
}

/** Prose, and lines that anything may print: reading a log is no check. */
const NO_TESTS: ReadonlySet<string> = new Set(['general', 'tsc', 'eslint', 'github'])

/** The same tests are the same check, from whatever folder they are run and however their output is shortened. */
function checkName(command: string): string {
  const bare = command
    .replace(/^(?:cd\s+\S+\s*(?:&&|;)\s*)+/, '')
    .replaceAll(/\s*2>&1/g, '')
    .replace(/(?:\s*\|\s*(?:tail|head|cat)\b[^|]*)+$/, '')
    .trim()
  const [line = ''] = bare.split('\n', 1)
  return (line === '' ? 'tests' : line).slice(0, NAME_LENGTH_MAX)
}

const NAME_LENGTH_MAX = 100
