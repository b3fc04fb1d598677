import type { Agent } from '../agents/agent.ts'
import type { Fault, Usage } from '../core/event-data.ts'
import type { Instant } from '../core/event.ts'
import type { Failure, TestCounts, TestResult } from '../core/failure.ts'
import type { PartSpec } from '../core/run-config.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { Captured } from '../process/output.ts'

export interface CheckRequest {
  readonly run: string
  readonly iteration: number
  readonly cwd: string
  readonly tree: string
  /** Set when it has passed or failed before in this run: what it runs was there then. */
  readonly hasRun?: true
  /** For a reviewer: what is asked, and the changes to look at as a patch. */
  readonly review?: { readonly brief: string; readonly diff?: string }
  /** What the agent said and printed in this iteration, for a check that needs it; absent before any work. */
  readonly agentOutput?: string
  /** What people told the agent, for a check that needs it. */
  readonly notes?: string
  /** All that was changed since the work on the goal began, as a patch, for a check that needs it; absent before any work. */
  readonly workProduct?: string
}

/** What a check may want to read besides the files. */
export type CheckNeed = 'agentOutput' | 'notes' | 'workProduct'

/** How a check ended; what a reviewer used is counted like an agent's. */
export type CheckResult = Usage & CheckEnding

type CheckEnding =
  | {
      readonly status: 'passed'
      readonly exitCode?: number
      readonly output?: Captured
      readonly counts?: TestCounts
      /** Every test with its outcome, where the report lists them all. */
      readonly tests?: readonly TestResult[]
      /** What a reviewer says of the whole, in a sentence or two. */
      readonly summary?: string
    }
  /** `failures` is never empty: where no report could be read, the check itself is the one failure. */
  | {
      readonly status: 'failed'
      readonly exitCode?: number
      readonly output?: Captured
      readonly counts?: TestCounts
      readonly failures: readonly Failure[]
      readonly tests?: readonly TestResult[]
      readonly summary?: string
    }
  /** The check could not run, so it says nothing about the work. */
  | {
      readonly status: 'errored'
      readonly fault: Exclude<Fault, 'agent' | 'provider-limit'>
      /** A program that it needs is not there: whoever repairs environments may install it. */
      readonly isProgramMissing?: true
      /** What it is asked to run, a script or a file, is not there: a person may know that making it is the work. */
      readonly isTargetMissing?: true
      readonly message: string
      readonly fix?: string
      readonly output?: Captured
    }
  /** A reviewer's provider refuses for a while: waited for, then asked again. */
  | {
      readonly status: 'limited'
      readonly message: string
      readonly fix?: string
      readonly retryAt?: Instant
      readonly output?: Captured
    }
  | { readonly status: 'aborted' }

/** Something run by us that says pass, fail or could-not-tell. */
export interface Check {
  readonly name: string
  /** Set when its result is a reviewer's verdict. */
  readonly isReview?: true
  /** For an agent's review: who gives it, and the same check by another agent. Default: nobody else can give it. */
  readonly reviewer?: { readonly agent: Agent; withAgent(agent: Agent): Check }
  /** Texts that its request has to carry; default none. */
  readonly needs?: readonly CheckNeed[]
  readonly spec: PartSpec
  run(request: CheckRequest, context: EffectContext): Promise<CheckResult>
}

/** What a report parser reads out of a check's output. */
export interface Report {
  readonly format: string
  readonly counts: TestCounts
  readonly failures: readonly Failure[]
  /** Every test with its outcome, at most `TESTS_KEPT_MAX`; absent where the format does not list the tests that passed. */
  readonly tests?: readonly TestResult[]
  /** Why the report cannot be believed whole: cut off, broken, of mixed formats. Such a report is never a pass. */
  readonly trouble?: string
}

/** How many tests a report names one by one. */
export const TESTS_KEPT_MAX = 20_000

/** Reads one format; `undefined` when the text is not of that format. Never throws. */
export type ReportParser = (output: string) => Report | undefined
