import type { Fault } from '../core/event-data.ts'
import type { Failure, TestCounts } from '../core/failure.ts'
import type { PartSpec } from '../core/run-config.ts'
import type { Captured } from './captured.ts'
import type { EffectContext } from './effect-context.ts'

export interface CheckRequest {
  readonly run: string
  readonly iteration: number
  readonly cwd: string
  readonly tree: string
}

export type CheckResult =
  | { readonly status: 'passed'; readonly exitCode?: number; readonly output?: Captured; readonly counts?: TestCounts }
  /** `failures` is never empty: where no report could be read, the check itself is the one failure. */
  | {
      readonly status: 'failed'
      readonly exitCode?: number
      readonly output?: Captured
      readonly counts?: TestCounts
      readonly failures: readonly Failure[]
    }
  /** The check could not run, so it says nothing about the work. */
  | {
      readonly status: 'errored'
      readonly fault: Exclude<Fault, 'agent' | 'provider-limit'>
      readonly message: string
      readonly fix?: string
      readonly output?: Captured
    }
  | { readonly status: 'aborted' }

/** Something run by us that says pass, fail or could-not-tell. */
export interface Check {
  readonly name: string
  readonly spec: PartSpec
  run(request: CheckRequest, context: EffectContext): Promise<CheckResult>
}

/** What a report parser reads out of a check's output. */
export interface Report {
  readonly format: string
  readonly counts: TestCounts
  readonly failures: readonly Failure[]
}

/** Reads one format; `undefined` when the text is not of that format. Never throws. */
export type ReportParser = (output: string) => Report | undefined
