import { describe, expect, test } from 'vitest'
import type { AgentAsk } from '../core/agent-ask.ts'
import { maxIterations } from '../guards/index.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { verifyChain } from '../journal/hash-chain.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { Person } from './parts.ts'
import type { SealedEvent } from '../stores/store.ts'
import { type Scenario, simulate } from '../testing/simulation.ts'

const ASK: AgentAsk = {
  id: 'rm-dist',
  kind: 'execute',
  title: 'rm -r dist',
  options: [
    { id: 'yes', label: 'Allow', kind: 'allow-once' },
    { id: 'always', label: 'Always allow', kind: 'allow-always' },
    { id: 'no', label: 'Reject', kind: 'deny-once' },
  ],
}

const makeStore = (isAlive: Parameters<Parameters<typeof simulate>[1]>[0]) => memoryStore({ isAlive })

function asking(answer?: Person['ask']): Scenario {
  return {
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(3)],
    files: { a: 'wrong' },
    asks: ASK,
    work: (iteration) => [
      (files) => void files.set('half', `done ${iteration}`),
      (files) => void files.set('a', iteration === 2 ? 'right' : 'wrong'),
    ],
    check: (files) =>
      files.get('a') === 'right'
        ? { status: 'passed' }
        : { status: 'failed', failures: [{ id: 'a', message: 'wrong', kind: 'assertion' }] },
    ...(answer ? { answer } : {}),
  }
}

/** The facts that must be the same whatever it is killed at. */
function story(events: readonly SealedEvent[]): readonly string[] {
  const again = new Set(['run.resumed', 'work.started', 'check.started', 'work.abandoned', 'workspace.restored', 'work.answered'])
  return events.flatMap((event) => {
    if (again.has(event.type) || (event.type === 'workspace.observed' && event.by.role !== 'workspace')) return []
    return event.type === 'escalation.answered' ? [`${event.type} ${event.data.choice}`] : [event.type]
  })
}

const types = (events: readonly SealedEvent[]) => events.map(({ type }) => type)

describe('a person who answers at once', () => {
  test('ASK-1 is asked in place, the agent continues within its work, and question and answer are one fact', async () => {
    const asked: string[] = []
    const { outcome, events, files } = await simulate(
      asking(async (_run, question) => {
        asked.push(question.text)
        return { choice: '1', note: 'only dist' }
      }),
      makeStore,
      [],
    )
    expect(outcome.status).toBe('completed')
    expect(asked).toEqual([
      'The agent asks for permission (execute): rm -r dist',
      'The agent asks for permission (execute): rm -r dist',
    ])
    expect(types(events)).not.toContain('work.asked')
    expect(events.find(({ type }) => type === 'work.answered')).toMatchObject({
      by: { role: 'person' },
      data: { key: '1/coder/0', ask: ASK, option: 'yes', how: 'person', note: 'only dist', waitedMs: expect.any(Number) },
    })
    expect(files.get('answer')).toBe('yes')
  })

  test('ASK-2 an answer for good is given again without asking, also in later iterations', async () => {
    let asked = 0
    const { events, files } = await simulate(
      asking(async () => ({ choice: asked++ === 0 ? 'allow-always' : 'abort' })),
      makeStore,
      [],
    )
    const answers = events.flatMap((event) => (event.type === 'work.answered' ? [`${event.data.how} ${event.data.option}`] : []))
    expect(answers).toEqual(['person always', 'earlier always'])
    expect(files.get('answer')).toBe('always')
  })

  test('ASK-3 who ends the run when the agent asks ends it at once', async () => {
    const { outcome, events } = await simulate(
      asking(async () => ({ choice: 'abort' })),
      makeStore,
      [],
    )
    expect(outcome.status).toBe('aborted')
    expect(types(events)).not.toContain('work.finished')
  })
})

describe('a person who is asked later', () => {
  test('ASK-4 the work is put aside, what it changed is on record and kept, and the question has the agent’s own answers', async () => {
    const { outcome, events, files } = await simulate(asking(), makeStore, [])
    expect(outcome).toMatchObject({ status: 'escalated', message: 'The agent asks: rm -r dist' })
    expect(files.get('half')).toBe('done 1')
    const last = types(events).slice(-4)
    expect(last).toEqual(['work.asked', 'workspace.observed', 'decision.made', 'escalation.raised'])
    expect(events.findLast(({ type }) => type === 'workspace.observed')).toMatchObject({
      data: { files: [{ path: 'half', change: 'added' }] },
    })
    const question = 'question' in outcome ? outcome.question : undefined
    expect(question?.options.map(({ choice, label }) => [choice, label])).toEqual([
      ['allow-once', 'Allow'],
      ['deny-once', 'Reject'],
      ['allow-always', 'Always allow'],
      ['abort', 'End the run (files stay as they are)'],
    ])
    expect(question?.options.every(({ then }) => then !== undefined)).toBe(true)
  })

  test('ASK-5 the work continues in the same iteration, and the same wish is answered from the journal', async () => {
    const { outcome, events, files } = await simulate({ ...asking(), answerLater: '1' }, makeStore, [])
    expect(outcome).toMatchObject({ status: 'completed', iterations: 2 })
    expect(files.get('answer')).toBe('yes')
    const answers = events.flatMap((event) => (event.type === 'work.answered' ? [event.data] : []))
    expect(answers.map(({ key, how, option }) => [key, how, option])).toEqual([
      ['1/coder/0', 'earlier', 'yes'],
      ['2/coder/0', 'earlier', 'yes'],
    ])
    expect(types(events).filter((type) => type === 'work.asked')).toHaveLength(2)
  })

  test('ASK-6 who leaves the question when asked in place is not asked again by the same process', async () => {
    let asked = 0
    const { outcome } = await simulate(
      asking(async () => {
        asked++
        return undefined
      }),
      makeStore,
      [],
    )
    expect(outcome.status).toBe('escalated')
    expect(asked).toBe(1)
  })

  test.each(['1', 'allow-always', 'deny-once'])(
    'ASK-7 a crash at any moment leaves the same story: the question is asked once, and the answer %s holds',
    async (answerLater) => {
      const scenario = { ...asking(), answerLater }
      const whole = await simulate(scenario, makeStore, [])
      expect(whole.outcome.status).toBe('completed')
      for (let moment = 1; moment <= whole.moments; moment++) {
        const killed = await simulate(scenario, makeStore, [moment])
        expect(story(killed.events), `killed at moment ${moment}`).toEqual(story(whole.events))
        expect(verifyChain(killed.events).ok).toBe(true)
        expect([...killed.files].toSorted()).toEqual([...whole.files].toSorted())
      }
    },
  )
})
