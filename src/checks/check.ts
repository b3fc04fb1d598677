import type { Agent } from '../agents/agent.ts'
import type { Fault, Usage } from '../core/event-data.ts'
import type { Instant } from '../core/event.ts'
import type { Failure, TestCounts, TestResult } from '../core/failure.ts'
import type { PartSpec } from '../core/run-config.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { Box } from '../process/box.ts'
import type { CommandTrouble } from '../process/command-trouble.ts'
import type { Captured } from '../process/output.ts'

export interface CheckRequest {
  readonly run: string
  readonly iteration: number
  readonly cwd: string
  readonly tree: string
  /** A room to run in: then `cwd` has only what was written there, and the command finds its files at the box's own `cwd`. */
  readonly box?: Box
  /** The workspace, if `cwd` is a copy of it: packages in the copy are links into it. */
  readonly workspace?: string
  /** Set if it has passed or failed before in this run: its target existed then. */
  readonly hasRun?: true
  /** Set if it was added after work had begun: what it runs should have been there. */
  readonly isLate?: true
  /** For a reviewer: the brief, and the changes as a patch. */
  readonly review?: { readonly brief: string; readonly diff?: string }
  /** For a reviewer: what is left of the money. Default: no limit. */
  readonly costUsdMax?: number
  /** What the agent said and printed in this iteration, for a check that needs it; absent before any work. */
  readonly agentOutput?: string
  /** People's notes to the agent, for a check that needs them. */
  readonly notes?: string
  /** All changes since the work on the goal began, as a patch, for a check that needs it; absent before any work. */
  readonly workProduct?: string
}

/** What a check may want to read besides the files. */
export type CheckNeed = 'agentOutput' | 'notes' | 'workProduct'

/** How a check ended; a reviewer's usage counts like an agent's. */
export type CheckResult = Usage & CheckEnding

type CheckEnding =
  | {
      readonly status: 'passed'
      readonly exitCode?: number
      readonly output?: Captured
      readonly counts?: TestCounts
      /** Every test with its outcome, if the report lists them all. */
      readonly tests?: readonly TestResult[]
      /** A reviewer's summary, in a sentence or two. */
      readonly summary?: string
    }
  /** `failures` is never empty: without a readable report, the check itself is the failure. */
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
      /** A program that it needs is missing, and might be installed. */
      readonly isProgramMissing?: true
      /** The script or file that it runs is missing: a person may know that creating it is the work. */
      readonly isTargetMissing?: true
      readonly message: string
      readonly fix?: string
      readonly output?: Captured
    }
  /** A reviewer's provider refuses for a while: wait, then ask again. */
  | {
      readonly status: 'limited'
      readonly message: string
      readonly fix?: string
      readonly retryAt?: Instant
      /** Set if the provider is down or can't be reached. */
      readonly isOutage?: true
      /** Set if a ceiling over all runs refuses the work. */
      readonly isCeiling?: true
      /** Set if another run of the same provider account met the limit, or tries whether it is over. */
      readonly isShared?: true
      readonly output?: Captured
    }
  | { readonly status: 'aborted' }

/** Something that Pawl runs and that says pass, fail or could-not-tell. */
export interface Check {
  readonly name: string
  /** Set if its result is a reviewer's verdict. */
  readonly isReview?: true
  /** For a review by an agent: the agent, and the same check with another one. Default: no other agent can do it. */
  readonly reviewer?: { readonly agent: Agent; withAgent(agent: Agent): Check }
  /** Texts that its request must contain; default none. */
  readonly needs?: readonly CheckNeed[]
  /** Set if it doesn't see what is mounted for it, so that a fresh copy of the files has to be a real one. */
  readonly needsCopy?: true
  readonly spec: PartSpec
  /** What prevents it from running at all, found without running it. Default: unknown. */
  ready?(cwd: string): Promise<CommandTrouble | undefined>
  run(request: CheckRequest, context: EffectContext): Promise<CheckResult>
}

/** What a report parser reads out of a check's output. */
export interface Report {
  readonly format: string
  readonly counts: TestCounts
  readonly failures: readonly Failure[]
  /** Every test with its outcome, at most `TESTS_KEPT_MAX`; absent if the format doesn't list passed tests. */
  readonly tests?: readonly TestResult[]
  /** Why the report isn't reliable: cut off, broken, of mixed formats. Such a report is never a pass. */
  readonly trouble?: string
}

/** How many tests a report names one by one. */
export const TESTS_KEPT_MAX = 20_000

/** Reads one format; `undefined` if the text isn't in that format. Never throws. */
export type ReportParser = (output: string) => Report | undefined
