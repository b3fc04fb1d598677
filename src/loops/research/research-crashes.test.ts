import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../stores/memory-store.ts'
import { verifyChain } from '../../journal/hash-chain.ts'
import type { SealedEvent } from '../../stores/store.ts'
import { honestly, judged } from '../../../test/support/research-judge.ts'
import { found } from '../../../test/support/research-play.ts'
import { type Scenario, simulate } from '../../testing/simulation.ts'
import { researchLoop } from './loop.ts'

const FILES = Object.fromEntries(
  Array.from({ length: 4 }, (_, index) => [`src/login${index}.ts`, `export const login${index} = ${index}`]),
)

/** Two iterations: three agents, of which one fails and one edits a file; then an explorer for what is missing. */
const scenario: Scenario = {
  loop: researchLoop({
    goal: 'How does the login work across the app?',
    strategy: 'broad',
    iterationsMax: 3,
    criteria: { coverage: { threshold: 1 } },
  }),
  guards: [],
  files: FILES,
  work: () => [(files) => files.set('notes.txt', 'an agent must not write')],
  result: (iteration, _now, role, _agent, brief) => {
    if (role === 'deep:judge') return { status: 'finished', output: { text: judged(brief, honestly), bytesCut: 0 } }
    if (role === 'fast:pattern' && iteration === 1) return { status: 'failed', fault: 'agent', message: 'It crashed.' }
    const index = iteration === 1 ? (role === 'fast:explore' ? [0, 1] : [1, 2]) : [3]
    const findings = index.map((each) =>
      found(`Part ${'abcd'[each]?.repeat(5)} of the login`, [`src/login${each}.ts:1:export const login${each}`], {
        answers: ['question-1'],
      }),
    )
    return { status: 'finished', output: { text: JSON.stringify({ findings }), bytesCut: 0 } }
  },
  check: () => ({ status: 'passed' }),
}

const makeStore: Parameters<typeof simulate>[1] = (isAlive) => memoryStore({ isAlive })

describe('RES-51 killed at any moment, research continues', () => {
  it('with the same story, and without asking an agent again that has finished', async () => {
    const whole = await simulate(scenario, makeStore, [])
    expect(whole.outcome.status).toBe('completed')
    const expected = story(whole.events)
    expect(expected.filter((line) => line.startsWith('convergence.measured'))).toHaveLength(2)
    for (let moment = 1; moment <= whole.moments; moment += 1) {
      const killed = await simulate(scenario, makeStore, [moment])
      expect(story(killed.events), `killed at moment ${moment}`).toEqual(expected)
      expect(verifyChain(killed.events).ok).toBe(true)
      expect(finishedTwice(killed.events), `killed at moment ${moment}`).toEqual([])
      expect(Object.fromEntries(killed.files)).toEqual(FILES)
    }
  })

  it('RES-52 three agents that die together are one crash, not three', async () => {
    const killed = await simulate(scenario, makeStore, [12, 24, 36])
    expect(killed.outcome.status).toBe('completed')
  })
})

/** Keys of work that ended more than once. */
function finishedTwice(events: readonly SealedEvent[]): readonly string[] {
  const keys = events.flatMap((event) => (event.type === 'work.finished' || event.type === 'work.failed' ? [event.data.key] : []))
  return keys.filter((key, index) => keys.indexOf(key) !== index)
}

/** What must be the same: who was sent, what was found, and what it came to. */
function story(events: readonly SealedEvent[]): string[] {
  return events.flatMap((event): string[] => {
    switch (event.type) {
      case 'question.extracted':
      case 'question.answered':
      case 'strategy.chosen':
      case 'specialist.assigned':
      case 'finding.recorded':
      case 'finding.merged':
      case 'finding.judged':
      case 'findings.integrated':
      case 'gap.found':
      case 'gap.closed':
      case 'gap.deferred':
      case 'gap.unresolved':
        return [`${event.type} ${JSON.stringify(event.data)}`]
      case 'convergence.measured': {
        const { metrics: _times, ...measured } = event.data
        return [`${event.type} ${JSON.stringify(measured)}`]
      }
      case 'decision.made':
        return [`${event.data.action}: ${event.data.message}`]
      case 'run.completed':
        return [event.type]
      default:
        return []
    }
  })
}
