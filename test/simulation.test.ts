import { describe, expect, it } from 'vitest'
import { allOf, budget, circuitBreaker, maxIterations, sameFailure } from '../src/core/guards/index.ts'
import { memoryStore } from '../src/drivers/stores/memory-store.ts'
import { verifyChain } from '../src/journal/hash-chain.ts'
import { taskLoop } from '../src/loops/task/index.ts'
import type { CheckResult } from '../src/ports/check.ts'
import type { SealedEvent } from '../src/ports/store.ts'
import type { Files } from '../src/testing/memory-workspace.ts'
import { simulate, type Scenario } from '../src/testing/simulation.ts'

/** Three tests; each passes once its file says so. */
function threeTests(files: Files): CheckResult {
  const failing = ['a', 'b', 'c'].filter((name) => files.get(name) !== 'right')
  const counts = { passed: 3 - failing.length, failed: failing.length, skipped: 0 }
  if (failing.length === 0) return { status: 'passed', counts }
  return {
    status: 'failed',
    counts,
    failures: failing.map((id) => ({ id, message: `${id} is ${files.get(id)}`, kind: 'assertion' })),
  }
}

const set = (name: string, text: string) => (files: Files) => void files.set(name, text)

const scenarios: Readonly<Record<string, Scenario>> = {
  'success in three iterations': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(5), circuitBreaker(), sameFailure()],
    files: { a: 'wrong', b: 'wrong', c: 'wrong' },
    work: (iteration) => [
      set('draft', `half ${iteration}`),
      set(['a', 'b', 'c'][iteration - 1] ?? 'x', 'right'),
      set('draft', 'done'),
    ],
    check: threeTests,
  },
  'the maximum asks a person, who lets it go on': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(1), circuitBreaker({ failuresMax: 3 })],
    files: { a: 'wrong', b: 'wrong', c: 'right' },
    work: (iteration) => [
      set('a', iteration > 1 ? 'right' : `try ${iteration}`),
      set('b', iteration > 2 ? 'right' : `try ${iteration}`),
    ],
    check: threeTests,
    answer: async (_run, question) => ({ choice: question.options[0]?.choice ?? '', note: 'try harder' }),
  },
  'a budget stops it': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(9), budget({ costUsdMax: 0.03, warnShare: 0.5 })],
    files: { a: 'wrong', b: 'wrong', c: 'wrong' },
    work: (iteration) => [set('a', `try ${iteration}`)],
    check: threeTests,
  },
  'the same failure and a streak together ask a person who is not there': {
    loop: taskLoop({ goal: 'all right', baseline: false }),
    guards: [maxIterations(9), allOf(circuitBreaker({ failuresMax: 2 }), sameFailure({ repeatsMin: 2 }))],
    files: { a: 'wrong', b: 'right', c: 'right' },
    work: (iteration) => [set('notes', `try ${iteration}`)],
    check: threeTests,
  },
  'a provider limit is waited out': {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(3)],
    files: { a: 'wrong', b: 'right', c: 'right' },
    work: () => [set('a', 'right')],
    result: (_iteration, now) =>
      now < 2_000_000
        ? { status: 'failed', fault: 'provider-limit', message: 'limit reached', retryAt: 2_000_000 }
        : { status: 'finished' },
    check: threeTests,
  },
}

const makeStore = (isAlive: Parameters<Parameters<typeof simulate>[1]>[0]) => memoryStore({ isAlive })

describe.each(Object.entries(scenarios))('RUN-1 simulated crashes: %s', (_name, scenario) => {
  it('ends with the same history whatever single moment it is killed at', async () => {
    const whole = await simulate(scenario, makeStore, [])
    expect(whole.crashes).toBe(0)
    expect(story(whole.events)).toMatchSnapshot()
    for (let moment = 1; moment <= whole.moments; moment++) {
      const killed = await simulate(scenario, makeStore, [moment])
      expect(killed.crashes, `killed at moment ${moment}`).toBe(1)
      expect(story(killed.events), `killed at moment ${moment}`).toEqual(story(whole.events))
      expect(verifyChain(killed.events).ok).toBe(true)
      expect(killed.outcome.status).toBe(whole.outcome.status)
      expect([...killed.files].toSorted()).toEqual([...whole.files].toSorted())
    }
  })

  it('ends with the same history over hundreds of random schedules of several crashes', async () => {
    const whole = await simulate(scenario, makeStore, [])
    const random = seeded(20261115)
    for (let schedule = 0; schedule < SCHEDULES; schedule++) {
      const moments = Array.from({ length: 1 + Math.floor(random() * 5) }, () => 1 + Math.floor(random() * whole.moments * 1.5))
      const killed = await simulate(scenario, makeStore, moments)
      expect(story(killed.events), `schedule ${schedule}: killed at ${moments.join(', ')}`).toEqual(story(whole.events))
      expect([...killed.files].toSorted()).toEqual([...whole.files].toSorted())
    }
  })
})

const SCHEDULES = 400

/** What must be the same: everything but starts, resumptions, undone work, times, places and hashes. */
function story(events: readonly SealedEvent[]): string[] {
  return events.flatMap((event): string[] => {
    switch (event.type) {
      case 'run.resumed':
      case 'work.started':
      case 'check.started':
      case 'work.abandoned':
      case 'workspace.restored':
        return []
      case 'workspace.observed':
        return event.by.role === 'workspace'
          ? [`${event.data.key} tree ${event.data.tree.slice(0, 8)}, ${event.data.filesChanged} changed`]
          : []
      case 'work.finished':
      case 'work.failed':
        return [`${event.data.key} ${event.type}`]
      case 'check.passed':
      case 'check.failed':
        return [`${event.data.key} ${event.type} ${event.data.failures.map((failure) => failure.id).join()}`]
      case 'iteration.ended':
        return [`iteration ${event.data.iteration} ended ${JSON.stringify(event.data.verdict)}`]
      case 'decision.made':
        return [`${event.data.action}: ${event.data.message} [${event.data.trips.join()}]`]
      case 'guard.tripped':
      case 'guard.nudged':
      case 'budget.warned':
        return [`${event.type} ${event.data.guard}: ${event.data.message}`]
      case 'run.reconfigured':
        return [`${event.type} ${event.data.message}`]
      default:
        return [event.type]
    }
  })
}

/** A small generator of random numbers that gives the same ones for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
