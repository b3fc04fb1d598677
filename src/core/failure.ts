export type FailureKind = 'assertion' | 'exception' | 'timeout' | 'compile' | 'lint' | 'environment' | 'review' | 'unknown'

/** How much a reviewer's note weighs; what concerns security comes first. */
export type ReviewSeverity = 'security' | 'critical' | 'major' | 'minor'

/** One thing that is wrong, as a report or an output says it. */
export interface Failure {
  /** What stays the same over the iterations: the test's full name, or the check's name if no test is known. */
  readonly id: string
  readonly message: string
  readonly kind: FailureKind
  readonly file?: string
  readonly line?: number
  readonly expected?: string
  readonly received?: string
  /** The innermost stack frame in the user's own code, as one line: `login (src/login.ts:12)`. */
  readonly frame?: string
  /** Only for what a reviewer noted. */
  readonly severity?: ReviewSeverity
  /** Set if the test has passed and failed on the same files in this run: it says nothing about the work. */
  readonly isFlaky?: true
}

export type TestOutcome = 'passed' | 'failed' | 'skipped'

/** One test and how it ended. */
export interface TestResult {
  /** The same id that a failure of this test has. */
  readonly id: string
  readonly outcome: TestOutcome
}

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}
