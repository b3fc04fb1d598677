import { evolve } from '../core/evolve.ts'
import type { Event, EventType, Fact } from '../core/event.ts'
import type { EventData } from '../core/event-data.ts'
import type { Failure } from '../core/failure.ts'
import type { RunConfig } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import type { Verdict } from '../core/verdict.ts'

/** One finished iteration, as a guard sees it. */
export interface IterationGiven {
  /** What failed; nothing means it passed. */
  readonly failures?: readonly (string | Failure)[]
  /** Tests in all; default as many as failed, plus one. */
  readonly tests?: number
  readonly costUsd?: number
  readonly tokens?: number
  readonly durationMs?: number
  readonly tree?: string
}

/** The state after some iterations, folded from real events: for tables of guards. */
export function stateAfter(iterations: readonly IterationGiven[], config: RunConfig = configOf([])): State {
  const events = journalOf(iterations, config)
  return events.reduce<State | undefined>(evolve, undefined) as State
}

/** The journal that such iterations leave, the last one ended and not yet judged. */
export function journalOf(iterations: readonly IterationGiven[], config: RunConfig = configOf([])): readonly Event[] {
  const events: Event[] = []
  let at = 1_000_000
  const add = <Type extends EventType>(type: Type, data: EventData[Type], by: Fact['by'] = { role: 'loop' }): void => {
    events.push({ seq: events.length + 1, run: 'given', v: 1, at, type, by, data } as unknown as Event)
  }
  add('run.started', { config })
  iterations.forEach((given, index) => {
    const iteration = index + 1
    const tree = given.tree ?? `tree-${iteration}`
    add('iteration.started', { iteration })
    add('work.started', { key: `${iteration}/coder/0`, iteration, role: 'coder', brief: { sha256: '', bytes: 0 } })
    at += given.durationMs ?? 1000
    const { costUsd = 0, tokens = 0 } = given
    add(
      'work.finished',
      { key: `${iteration}/coder/0`, durationMs: given.durationMs ?? 1000, costUsd, tokens },
      { role: 'agent' },
    )
    const change = { files: [{ path: 'a', change: 'modified' as const }], filesChanged: 1, insertions: 1, deletions: 1 }
    add('workspace.observed', { key: `${iteration}/observe/0`, tree, snapshot: tree, ...change }, { role: 'workspace' })
    const failures = (given.failures ?? []).map((each) => (typeof each === 'string' ? failureOf(each) : each))
    const counts = { failed: failures.length, passed: (given.tests ?? failures.length + 1) - failures.length, skipped: 0 }
    const check = { key: `${iteration}/check/0`, name: 'tests', tree, durationMs: 1, counts, failures }
    add(failures.length === 0 ? 'check.passed' : 'check.failed', check, { role: 'check' })
    const total = Math.max(counts.failed + counts.passed, 1)
    const verdict: Verdict = {
      passed: failures.length === 0,
      score: failures.length === 0 ? 1 : counts.passed / total,
      failing: failures.length,
    }
    add('iteration.ended', { iteration, verdict, tree, filesChanged: 1, durationMs: given.durationMs ?? 1000, costUsd, tokens })
    if (iteration < iterations.length) {
      add('decision.made', { iteration, action: 'retry', message: '', basis: [], trips: [] })
    }
  })
  return events
}

/** A configuration with these guards and otherwise nothing that matters. */
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
