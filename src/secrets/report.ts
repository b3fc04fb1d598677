import type { Failure, TestCounts, TestResult } from '../core/failure.ts'
import { withoutCutSecret } from './known-values.ts'
import { redactJson, redactSaid } from './filter.ts'
import { hasSecretHint } from './hint.ts'

/** As much of a report as is looked at here. */
interface ReadReport {
  readonly format?: string
  readonly counts: TestCounts
  readonly failures: readonly Failure[]
  readonly tests?: readonly TestResult[]
  readonly trouble?: string
}

/**
 * What is read out of a text that a program printed or wrote, without secrets. Whoever reads a report cuts it: half a secret, or one without
 * the words before it, would not be known for a secret any more. So it is read where there are none. Where that changes what it says, since
 * the line of a secret was one that counts, it is read as it stands and cleaned afterwards: a secret must not turn a verdict.
 */
export async function readWithoutSecrets<Report extends ReadReport>(
  text: string,
  read: (text: string) => Report | undefined,
): Promise<Report | undefined> {
  if (!hasSecretHint(text)) return read(text)
  const clean = await redactSaid(text)
  const report = read(clean)
  const whole = clean === text ? report : read(text)
  if (whole === undefined) return undefined
  // Without what escaped it in the text a secret may show only now.
  return report && saysTheSame(report, whole) ? await redactJson(report) : withoutCutSecrets(await redactJson(whole))
}

function saysTheSame(one: ReadReport, other: ReadReport): boolean {
  return JSON.stringify(figuresOf(one)) === JSON.stringify(figuresOf(other))
}

function figuresOf({ format, counts, failures, tests, trouble }: ReadReport) {
  const { passed, failed, skipped } = counts
  return [format, passed, failed, skipped, failures.length, tests?.length, trouble === undefined]
}

/** Names of tests are cut by those who read them. */
function withoutCutSecrets<Report extends ReadReport>(report: Report): Report {
  const { failures, tests } = report
  return { ...report, failures: failures.map(withCleanFields), ...(tests && { tests: tests.map(withCleanFields) }) }
}

function withCleanFields<Value extends Failure | TestResult>(value: Value): Value {
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    typeof field === 'string' ? withoutCutSecret(field) : (field as unknown),
  ])
  return Object.fromEntries(fields) as Value
}
