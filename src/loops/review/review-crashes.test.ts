import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../stores/memory-store.ts'
import { verifyChain } from '../../journal/hash-chain.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { SealedEvent } from '../../stores/store.ts'
import { type Scenario, simulate } from '../../testing/simulation.ts'
import { provenanceOf, reviewLoop } from './index.ts'

const makeStore = (isAlive: Parameters<Parameters<typeof simulate>[1]>[0]) => memoryStore({ isAlive })

const long = (last: string) => [...Array.from({ length: 60 }, (_, line) => `line ${line} of the login page`), last].join('\n')

/** Item 1 converges in its second pass; item 2 needs its environment repaired, fails its tests once and is then right. */
const scenario: Scenario = {
  loop: reviewLoop({
    items: [
      { id: 'login', goal: 'A login page.' },
      { id: 'search', goal: 'A search page.', type: 'testing' },
    ],
    commits: true,
  }),
  guards: [],
  files: { 'README.md': 'A shop.\n' },
  work: (iteration) => [
    (files) => files.set('half-done.txt', String(iteration)),
    (files) => {
      files.delete('half-done.txt')
      if (iteration <= 2) files.set('login.html', long(String(iteration)))
      if (iteration === 3) files.set('search.html', 'wrong')
      if (iteration === 4) files.set('database', 'up')
      if (iteration === 5) files.set('search.html', 'right')
    },
  ],
  check: (files) => {
    if (files.get('search.html') === undefined) return { status: 'passed' }
    if (files.get('database') === undefined) return { status: 'errored', fault: 'environment', message: 'No database.' }
    if (files.get('search.html') === 'right') return { status: 'passed' }
    return { status: 'failed', failures: [{ id: 'search', message: 'finds nothing', kind: 'assertion' }] }
  },
  review: (files) =>
    files.get('search.html') === undefined
      ? {
          status: 'failed',
          failures: [{ id: 'review: Use labels.', message: 'Use labels.', kind: 'review', severity: 'major' }],
        }
      : { status: 'passed' },
  // The tests passed before, so a person decides about the first item.
  answer: async () => ({ choice: 'accept' }),
}

describe('REVIEW-90 a review loop that is killed', () => {
  it('goes the same way in the end, with one entry for each pass, whatever moment it was killed at', async () => {
    const whole = await simulate(scenario, makeStore, [])
    expect(whole.outcome.status).toBe('completed')
    expect(provenanceOf(whole.events).outputs.map(({ item, coder, verdict }) => [item, coder, verdict])).toEqual([
      ['login', 'coder_a', 'REWORK'],
      ['login', 'coder_a', 'ESCALATE_CONVERGENCE'],
      ['search', 'coder_b', 'APPROVE'],
      ['search', 'repairer', 'APPROVE'],
      ['search', 'coder_b', 'APPROVE'],
    ])
    expect(whole.commits).toHaveLength(2)
    const expected = story(whole.events)
    for (let moment = 1; moment <= whole.moments; moment++) {
      const killed = await simulate(scenario, makeStore, [moment])
      expect(killed.crashes, `killed at moment ${moment}`).toBe(1)
      expect(story(killed.events), `killed at moment ${moment}`).toEqual(expected)
      expect(verifyChain(killed.events).ok).toBe(true)
      expect([...killed.files].toSorted()).toEqual([...whole.files].toSorted())
      expect(killed.commits, `killed at moment ${moment}`).toEqual(whole.commits)
    }
  })
})

describe('REVIEW-91 a plan of 20 items', () => {
  const items = Array.from({ length: 20 }, (_, index) => ({ id: `item-${index}`, goal: `Write page ${index}.` }))
  const plan: Scenario = {
    loop: reviewLoop({ items, coders: ['a', 'b', 'c'], alternatesOnRework: true }),
    guards: [],
    files: {},
    work: (iteration) => [(files) => files.set(`page-${iteration}.txt`, `${iteration}\n`.repeat(iteration))],
    check: (files) => (files.size % 7 === 0 ? failed('tests', 'assertion') : { status: 'passed' }),
    review: (files) => (files.size % 3 === 0 ? failed('review', 'review') : { status: 'passed' }),
  }

  it('gives the same journal twice, but for times, durations and hashes', async () => {
    const [one, other] = [await simulate(plan, makeStore, []), await simulate(plan, makeStore, [])]
    expect(one.outcome.status).toBe('completed')
    expect(one.events.filter(({ type }) => type === 'item.finished')).toHaveLength(20)
    expect(one.events.map(bare)).toEqual(other.events.map(bare))
  })
})

function failed(id: string, kind: 'assertion' | 'review'): CheckResult {
  return { status: 'failed', failures: [{ id, message: `${id} says no.`, kind }] }
}

function bare({ hash: _hash, at: _at, data, ...event }: SealedEvent): object {
  return { ...event, data: JSON.stringify(data, (key, value: unknown) => (key === 'durationMs' ? undefined : value)) }
}

/** What must be the same: who was put to work, what was handed on and judged, and what was decided. */
function story(events: readonly SealedEvent[]): string[] {
  return events.flatMap((event): string[] => {
    switch (event.type) {
      case 'role.assigned':
      case 'handoff.accepted':
      case 'handoff.refused':
      case 'pass.recorded':
      case 'pass.judged':
      case 'tests.judged':
      case 'lesson.learned':
        return [`${event.type} ${JSON.stringify(event.data)}`]
      case 'decision.made':
        return [`${event.data.action}: ${event.data.message}`]
      case 'item.started':
      case 'item.finished':
      case 'run.completed':
        return [event.type]
      default:
        return []
    }
  })
}
