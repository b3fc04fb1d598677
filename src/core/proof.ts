import type { TestCounts } from './failure.ts'

/**
 * Why a success is believed. `red-to-green`: a test the agent did not write tells the difference. `self-tested`: only tests of the agent's
 * own do. `reviewed`: another agent or a person approved. `unproven`: none of these.
 */
export type ProofLevel = 'red-to-green' | 'self-tested' | 'reviewed' | 'unproven'

/** From the strongest to the weakest. */
export const PROOF_LEVELS: readonly ProofLevel[] = ['red-to-green', 'self-tested', 'reviewed', 'unproven']

/** Which tests were run on which code. */
export type CellName =
  | 'old-tests-old-code'
  | 'old-tests-new-code'
  | 'new-tests-new-code'
  | 'new-tests-old-code'
  /** Tests that expect other values: they have to fail. */
  | 'altered-tests-new-code'

/** What one check said of one combination of tests and code. */
export interface ProofCell {
  readonly cell: CellName
  readonly check: string
  readonly passed: boolean
  /** Where: in a room at the workspace's path, in a copy elsewhere, or in the workspace itself. */
  readonly place: 'mount' | 'copy' | 'workspace'
  readonly counts?: TestCounts
  /** Failing tests, at most `PROOF_NAMES_MAX`. */
  readonly failing?: readonly string[]
  readonly durationMs: number
}

/** What speaks against a success. */
export type FindingCode =
  /** The tests as they were at the start fail on the present code. */
  | 'old-tests-fail'
  /** Tests that ran at the start did not run, or were skipped. */
  | 'tests-not-run'
  /** The check passes in the workspace and fails in a fresh copy of it. */
  | 'fails-in-room'
  /** Tests pass even if they expect other values. */
  | 'tests-cannot-fail'
  /** Tests pass only with another value to compare with, which the work changed. */
  | 'compared-value-changed'
  /** Tests pass only because new code asks whether a test runs. */
  | 'knows-its-tests'
  /** The check passes on the code of the start, too: an ignored file was changed. */
  | 'passes-without-work'
  /** A compiler or a linter no longer looks at a file that it complained about. */
  | 'files-not-checked'
  /** The fresh copy cannot be used for this check. */
  | 'room-unfit'
  /** Installed packages changed and no lock file says why. */
  | 'dependencies-changed'
  /** Code imports a test framework, switches a check off, or changes what checks rely on. */
  | 'suspicious-code'
  /** Tests that were written before the work were changed by it. */
  | 'written-tests-changed'
  /** The work changed the script that a reviewer's command runs. */
  | 'reviewer-changed'
  /** Files changed while they were proven. */
  | 'changed-meanwhile'
  /** A held-out check fails. */
  | 'held-out-fails'

export interface ProofFinding {
  readonly code: FindingCode
  readonly check?: string
  /** Tests, at most `PROOF_NAMES_MAX`; `count` counts all. */
  readonly tests?: readonly string[]
  /** Files, with the line if known. */
  readonly files?: readonly { readonly path: string; readonly text?: string }[]
  readonly count: number
}

/** The evidence behind a success, or against it. */
export interface Proof {
  readonly level: Exclude<ProofLevel, 'reviewed'>
  /** The tree when the unit of work began, and the one that is proven. */
  readonly start: string
  readonly tree: string
  readonly cells: readonly ProofCell[]
  /** Tests that were red before and are green now, at most `PROOF_NAMES_MAX`; `turnedCount` counts all. */
  readonly turned: readonly string[]
  /** Absent in proofs from before it was counted, and if none turned. */
  readonly turnedCount?: number
  /** Checks that name no tests: only their exit code counts. */
  readonly byExitCode?: readonly string[]
  /** Files of the tests that the work changed, at most `PROOF_NAMES_MAX`; `changedTestsCount` counts all. */
  readonly changedTests: readonly string[]
  readonly changedTestsCount: number
  /** Set if the work changed tests and nothing else. */
  readonly isOnlyTests?: true
  readonly findings: readonly ProofFinding[]
  /** Tests that failed and passed in the same fresh copy, at most `PROOF_NAMES_MAX` a check. */
  readonly flaky?: readonly { readonly check: string; readonly tests: readonly string[] }[]
  /** What the held-out check said; absent if there is none, or it was not reached. */
  readonly heldOut?: 'passed' | 'failed'
}

/** Tests that somebody wrote for the work, and nothing else. */
export interface WrittenTests {
  /** The iteration they were written in. */
  readonly iteration: number
  /** The files without them. */
  readonly since: string
  /** The files with them: since then nobody may change them. */
  readonly snapshot: string
  /** Set if the agent that wrote them did the work too. */
  readonly isOwn?: true
}

/** How many names a proof lists of a kind. */
export const PROOF_NAMES_MAX = 20
