import type { Failure, TestCounts, TestResult } from '../core/failure.ts'
import { redactJson, redactSaid } from './filter.ts'
import { hasSecretHint } from './hint.ts'
import { withoutCutSecret } from './known-values.ts'

interface Report {
  readonly format?: string
  readonly counts: TestCounts
  readonly failures: readonly Failure[]
  readonly tests?: readonly TestResult[]
  readonly trouble?: string
}

/**
 * Reads a report from a program's output, without secrets. Reading cuts, and half a secret would not be recognized, so the output is redacted
 * first. If that changes what the report counts, since the secret's line was one of a test, the report is read from the output as it is and
 * cleaned afterwards: a secret must not change a verdict.
 */
export async function readWithoutSecrets<Read extends Report>(
  text: string,
  read: (text: string) => Read | undefined,
): Promise<Read | undefined> {
  if (!hasSecretHint(text)) return read(text)
  const clean = await redactSaid(text)
  const report = read(clean)
  const whole = clean === text ? report : read(text)
  if (whole === undefined) return undefined
  // A secret that was escaped in the text may show only now.
  if (report && figuresOf(report) === figuresOf(whole)) return await redactJson(report)
  const { failures, tests, ...rest }: Report = await redactJson(whole)
  return { ...whole, ...rest, failures: failures.map(withoutCuts), ...(tests && { tests: tests.map(withoutCuts) }) }
}

function figuresOf({ format, counts, failures, tests, trouble }: Report): string {
  return JSON.stringify([
    format,
    counts.passed,
    counts.failed,
    counts.skipped,
    failures.length,
    tests?.length,
    trouble === undefined,
  ])
}

/** The readers of reports cut the names of tests. */
function withoutCuts<Value extends Failure | TestResult>(value: Value): Value {
  const fields = Object.entries(value).map(([name, field]) => [name, typeof field === 'string' ? withoutCutSecret(field) : field])
  return Object.fromEntries(fields) as Value
}
