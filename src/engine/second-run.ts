import type { FirstRun } from '../core/event-data.ts'
import type { Failure } from '../core/failure.ts'
import { flakyTests, isSteady, needsSecondRun } from '../core/measures/flaky.ts'
import { isFlaky } from '../core/measures/ledger.ts'
import type { TestsSeen } from '../core/measures/test-changes.ts'
import { flakyPolicy } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import type { Check, CheckResult } from '../checks/check.ts'
import type { Store } from '../stores/store.ts'
import { textOf } from './perform-work.ts'

type Ended = Extract<CheckResult, { status: 'passed' | 'failed' }>
type Failed = Extract<CheckResult, { status: 'failed' }>

/** Whether a check that failed is run once more on the same files. Only a command is: what Pawl looks at itself says the same again. */
export function isRunAgain(check: Check, result: CheckResult, { measures }: State): boolean {
  return isCommand(check) && result.status === 'failed' && needsSecondRun(measures.ledger, check.name, seenIn(result))
}

/** The same for a check that failed in a fresh copy: it passed in the workspace, on the same code. */
export function isRunAgainInRoom(check: Check, result: CheckResult): result is Failed {
  return isCommand(check) && result.status === 'failed' && !result.failures.every((failure) => isSteady(failure, check.name))
}

function isCommand({ spec, isReview }: Check): boolean {
  return spec.name === 'command' && !isReview
}

export interface BothRuns {
  readonly result: CheckResult
  /** The tests that passed in one of them and failed in the other. */
  readonly flaky: readonly string[]
}

/** What two runs on the same files say together: only what failed in both has failed. Nothing if the second one could not run. */
export function bothRuns(first: Failed, second: CheckResult, check: string, { config, measures }: State): BothRuns | undefined {
  if (second.status === 'aborted') return { result: second, flaky: [] }
  if (second.status !== 'passed' && second.status !== 'failed') return undefined
  const flaky = flakyTests(seenIn(first), seenIn(second))
  if (second.status === 'passed') return { result: second, flaky }
  const isForgiven = (id: string): boolean =>
    flaky.includes(id) || (flakyPolicy(config) === 'ignore' && isFlaky(measures.ledger, check, id))
  const { counts, tests, failures: all, ...said } = second
  const failures = all.filter(({ id }) => !isForgiven(id))
  const forgiven = all.length - failures.length
  if (forgiven === 0) return { result: second, flaky }
  const rest = {
    ...said,
    ...(counts ? { counts: { ...counts, passed: counts.passed + forgiven, failed: Math.max(0, counts.failed - forgiven) } } : {}),
    ...(tests ? { tests: tests.map((test) => (isForgiven(test.id) ? { ...test, outcome: 'passed' as const } : test)) } : {}),
  }
  return { result: failures.length === 0 ? { ...rest, status: 'passed' } : { ...rest, status: 'failed', failures }, flaky }
}

/** What the journal keeps of the first run. */
export async function firstRunOf({ exitCode, output }: Failed, durationMs: number, store: Store): Promise<FirstRun> {
  return { durationMs, ...(exitCode === undefined ? {} : { exitCode }), ...(output ? await textOf(store, output) : {}) }
}

/** A failure with the mark of a test that is known to be flaky. */
export function markedFlaky(failure: Failure, check: string, { measures }: State): Failure {
  return isFlaky(measures.ledger, check, failure.id) ? { ...failure, isFlaky: true } : failure
}

/** What a result says about tests. */
export function seenIn(result: Ended): TestsSeen {
  const { counts, tests } = result
  return {
    passed: result.status === 'passed',
    failures: result.status === 'failed' ? result.failures : [],
    ...(counts === undefined ? {} : { counts }),
    ...(tests === undefined ? {} : { tests }),
  }
}
