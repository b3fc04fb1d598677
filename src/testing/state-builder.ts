import type { Action } from '../core/action.ts'
import { evolve } from '../loops/evolve.ts'
import type { Event, EventType, Fact } from '../core/event.ts'
import type { Denied, EventData, Likeness, Spinning } from '../core/event-data.ts'
import type { Failure, TestCounts, TestResult } from '../core/failure.ts'
import type { Ledger } from '../core/measures/ledger.ts'
import { testChanges } from '../core/measures/test-changes.ts'
import type { RunConfig } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import type { Verdict } from '../core/verdict.ts'

/** One finished iteration, as a guard sees it. */
export interface IterationGiven {
  /** The failures; none means that it passed. */
  readonly failures?: readonly (string | Failure)[]
  /** The number of tests. Default: as many as ever failed at once, plus one. */
  readonly tests?: number
  readonly costUsd?: number
  readonly tokens?: number
  readonly durationMs?: number
  readonly tree?: string
  /** The paths that the agent changed. Default: one file, `a`. An empty list leaves the tree unchanged. */
  readonly files?: readonly string[]
  /** Every test's outcome, for a report that lists them all. Default: only failures are known. */
  readonly outcomes?: readonly TestResult[]
  /** A reviewer's notes; without notes there was no review. */
  readonly notes?: readonly Failure[]
  /** What the agent said at the end. */
  readonly said?: string
  /** Why the agent itself failed, if it did. */
  readonly agentFailed?: string
  /** The agent's tool calls. */
  readonly actions?: readonly Action[]
  /** How similar its change is to the previous one. */
  readonly likeness?: Likeness
  /** Set if the agent's text repeated itself. */
  readonly spinning?: Spinning
  /** What the agent's own rules refused. */
  readonly denied?: Denied
}

/** The state after some iterations, folded from real events, for tables of guard tests. */
export function stateAfter(iterations: readonly IterationGiven[], config: RunConfig = configOf([])): State {
  const events = journalOf(iterations, config)
  return events.reduce<State | undefined>(evolve, undefined) as State
}

/** The journal of such iterations; the last one has ended and isn't judged yet. */
export function journalOf(iterations: readonly IterationGiven[], config: RunConfig = configOf([])): readonly Event[] {
  const events: Event[] = []
  let at = 1_000_000
  let state: State | undefined
  const add: Add = (type, data, by = { role: 'loop' }) => {
    const event = { seq: events.length + 1, run: 'given', v: 1, at, type, by, data } as unknown as Event
    events.push(event)
    state = evolve(state, event)
  }
  let tree = 'tree-0'
  add('run.started', { config })
  iterations.forEach((given, index) => {
    const iteration = index + 1
    const { durationMs = 1000, costUsd = 0, tokens = 0, files = ['a'], notes = [] } = given
    tree = given.tree ?? (files.length === 0 ? tree : `tree-${iteration}`)
    add('iteration.started', { iteration })
    add('work.started', { key: `${iteration}/coder/0`, iteration, role: 'coder', brief: { sha256: '', bytes: 0 } })
    at += durationMs
    addWork(add, iteration, given)
    const change = { files: files.map((path) => ({ path, change: 'modified' as const })), filesChanged: files.length }
    const observed = { key: `${iteration}/observe/0`, tree, snapshot: tree, ...change, insertions: 1, deletions: 1 }
    const alike = given.likeness ? { likeness: given.likeness } : {}
    add('workspace.observed', { ...observed, ...alike }, { role: 'workspace' })
    const check = checkOf(iteration, given, tree, (state as State).measures.ledger)
    add(check.failures.length === 0 ? 'check.passed' : 'check.failed', check, { role: 'check' })
    if (notes.length > 0) {
      const review = { key: `${iteration}/check/1`, name: 'review', tree, durationMs: 1, failures: notes }
      add('review.rejected', review, { role: 'check' })
    }
    const verdict = verdictFrom(check.counts, notes.length > 0)
    add('iteration.ended', { iteration, verdict, tree, filesChanged: files.length, durationMs, costUsd, tokens })
    if (iteration < iterations.length) {
      add('decision.made', { iteration, action: 'retry', message: '', basis: [], trips: [] })
    }
  })
  return events
}

type Add = <Type extends EventType>(type: Type, data: EventData[Type], by?: Fact['by']) => void

function addWork(add: Add, iteration: number, given: IterationGiven) {
  const { durationMs = 1000, costUsd = 0, tokens = 0, said, agentFailed, actions, spinning, denied } = given
  const refused = denied === undefined ? {} : { denied }
  const common = { key: `${iteration}/coder/0`, durationMs, costUsd, tokens, ...refused }
  const by = { role: 'agent' } as const
  const more = { ...(said === undefined ? {} : { summary: said }), ...(spinning === undefined ? {} : { spinning }) }
  if (actions) add('work.acted', { key: common.key, actions }, by)
  if (agentFailed === undefined) add('work.finished', { ...common, ...more }, by)
  else add('work.failed', { ...common, reason: 'failed', fault: 'agent', message: agentFailed }, by)
}

function checkOf(iteration: number, given: IterationGiven, tree: string, ledger: Ledger) {
  const failures = (given.failures ?? []).map((each) => (typeof each === 'string' ? failureOf(each) : each))
  const testsMax = Math.max(ledger.checks['tests']?.testsMax ?? 0, failures.length + 1)
  const counts = { failed: failures.length, passed: (given.tests ?? testsMax) - failures.length, skipped: 0 }
  const seen = { passed: failures.length === 0, counts, failures, ...(given.outcomes ? { tests: given.outcomes } : {}) }
  const tests = testChanges(ledger, 'tests', seen)
  const check = { key: `${iteration}/check/0`, name: 'tests', tree, durationMs: 1, counts, failures }
  return { ...check, ...(tests === undefined ? {} : { tests }) }
}

function verdictFrom(counts: TestCounts, isRejected: boolean): Verdict {
  const passed = counts.failed === 0 && !isRejected
  const score = passed ? 1 : Math.min(0.999, counts.passed / Math.max(counts.failed + counts.passed, 1))
  return { passed, score, failing: counts.failed + Number(isRejected) }
}

/** A configuration with these guards and placeholders for the rest. */
export function configOf(guards: RunConfig['guards']): RunConfig {
  const nothing = { name: 'given', v: 1, settings: {} }
  return {
    loop: { name: 'task', v: 1, settings: { goal: 'given' } },
    guards,
    agent: nothing,
    checks: [{ name: 'given', v: 1, settings: { name: 'tests' } }],
    workspace: nothing,
  }
}

function failureOf(id: string): Failure {
  return { id, message: `${id} is wrong`, kind: 'assertion' }
}
