export type FailureKind = 'assertion' | 'exception' | 'timeout' | 'compile' | 'lint' | 'environment' | 'unknown'

/** One thing that is wrong, as a report or an output says it. */
export interface Failure {
  /** What stays the same over the iterations: the test's full name, or the check's name where no test is known. */
  readonly id: string
  readonly message: string
  readonly kind: FailureKind
  readonly file?: string
  readonly line?: number
  readonly expected?: string
  readonly received?: string
}

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}
