import { evolve } from '../src/loops/evolve.ts'
import { feedbackFrom } from '../src/loops/shared/feedback.ts'
import type { Failure, TestResult } from '../src/core/failure.ts'
import { ledgerAfter, ledgerWith } from '../src/core/measures/ledger.ts'
import { testChanges } from '../src/core/measures/test-changes.ts'
import type { IterationSummary, State } from '../src/core/state.ts'
import { configOf, journalOf } from '../src/testing/state-builder.ts'

const TESTS = 10_000
/** Of so many tests one fails; which one moves on with every iteration. */
const FAILING_SHARE = 20
const FAILURES_KEPT = 50

/** The processor time in milliseconds that the ledger and the feedback take, for each of so many iterations over 10,000 tests. */
export function ledgerRun(iterations: number): readonly number[] {
  let state = journalOf([{ failures: [] }], configOf([])).reduce<State | undefined>(evolve, undefined) as State
  const durationsMs: number[] = []
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const tests = testsOf(iteration)
    const failures = tests.flatMap(({ id, outcome }) => (outcome === 'failed' ? [failureOf(id)] : []))
    const startedAt = process.cpuUsage()
    state = iterated(state, iteration, tests, failures)
    feedbackFrom(state)
    const { user, system } = process.cpuUsage(startedAt)
    durationsMs.push((user + system) / 1000)
  }
  return durationsMs
}

function iterated(state: State, iteration: number, tests: readonly TestResult[], failures: readonly Failure[]): State {
  const counts = { failed: failures.length, passed: tests.length - failures.length, skipped: 0 }
  const changes = testChanges(state.measures.ledger, 'tests', { passed: false, counts, failures, tests })
  const seen = ledgerWith(state.measures.ledger, 'tests', iteration, { counts, ...(changes ? { tests: changes } : {}) })
  const ledger = ledgerAfter(seen, iteration)
  const last = state.recent.at(-1) as IterationSummary
  const summary: IterationSummary = {
    ...last,
    iteration,
    verdict: { passed: false, score: counts.passed / tests.length, failing: counts.failed },
    failures: failures.slice(0, FAILURES_KEPT),
    ledger: ledger.movement,
  }
  return { ...state, measures: { ...state.measures, ledger }, recent: [...state.recent.slice(-19), summary] }
}

function testsOf(iteration: number): readonly TestResult[] {
  return Array.from({ length: TESTS }, (_, index) => ({
    id: `suite ${index % 100} > does the thing number ${index}`,
    outcome: (index + iteration) % FAILING_SHARE === 0 ? 'failed' : 'passed',
  }))
}

function failureOf(id: string): Failure {
  return { id, kind: 'assertion', message: `${id} is wrong`, expected: '42', received: '"42"', file: 'src/a.test.ts', line: 12 }
}
