import { describe, expect, it } from 'vitest'
import type { Event } from '../core/event.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { agentReview } from '../checks/agent-review.ts'
import { verifyChain } from '../journal/hash-chain.ts'
import { taskLoop } from '../loops/task/index.ts'
import { maxIterations } from '../guards/index.ts'
import type { Agent, WorkRequest, WorkResult } from '../agents/agent.ts'
import { createLoop } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-parts.ts'
import { type Scenario, simulate } from '../testing/simulation.ts'

const makeStore = (isAlive: Parameters<Parameters<typeof simulate>[1]>[0]) => memoryStore({ isAlive })

/** The first reaches its limit in iteration 2, the second cannot log in, and the third brings it about. */
const scenario: Scenario = {
  loop: taskLoop({ goal: 'g', baseline: false }),
  guards: [maxIterations(5)],
  files: { answer: '0' },
  fallbacks: ['second', 'third'],
  work: (iteration) => [(files) => files.set('answer', String(iteration))],
  result: (iteration, now, _role, agent) => {
    if (iteration === 2 && agent === 'simulated')
      return { status: 'failed', fault: 'provider-limit', message: 'used up', retryAt: now + 9e6 }
    if (agent === 'second') return { status: 'failed', fault: 'config', message: 'The provider does not let it in.' }
    return { status: 'finished', summary: agent }
  },
  check: (files) =>
    files.get('answer') === '3'
      ? { status: 'passed' }
      : { status: 'failed', failures: [{ id: 'answer', message: 'wrong', kind: 'assertion' }] },
}

const story = (events: readonly Event[]) =>
  events.flatMap((event) => {
    if (event.type === 'agent.switched') return [`${event.data.from} > ${event.data.to}: ${event.data.reason}`]
    if (event.type === 'work.finished') return [`${event.data.key} by ${event.by.name}`]
    return event.type === 'run.completed' ? ['completed'] : []
  })

const agentCalled = (name: string, more: Partial<Agent>, result: WorkResult = { status: 'finished' }): Agent => ({
  spec: { name, v: 1, settings: {} },
  work: async (_request, context) => {
    await context.started()
    return result
  },
  ...more,
})

const unreachable = () => ({ status: 'failed', fault: 'provider-limit', message: 'The provider cannot be reached.' }) as const

const FIX = 'See that the network and the address of the provider are right.'

const wrongAddress = () => ({ ...unreachable(), message: 'The provider cannot be reached: fetch failed', fix: FIX }) as const

const wrongReviewer = () => ({ status: 'limited', message: 'The provider cannot be reached: fetch failed', fix: FIX }) as const

const served = () => ({ status: 'finished', tokens: 5 }) as const

const waitsIn = (events: readonly Event[]) => events.flatMap(({ type, data }) => (type === 'timer.set' ? [data.message] : []))

describe('a run whose agents cannot continue', () => {
  it.each([
    ['each in a process of its own', scenario],
    ['all in the process that drives them', { ...scenario, isInProcess: true as const }],
  ])(
    'FALL-9 goes down the line, keeps its history, and ends the same whatever moment it is killed at: %s',
    async (_how, given) => {
      const whole = await simulate(given, makeStore, [])
      expect(story(whole.events)).toEqual([
        '1/coder/0 by simulated',
        'simulated > second: provider-limit',
        'second > third: unavailable',
        '2/coder/0 by third',
        '3/coder/0 by third',
        'completed',
      ])
      for (let moment = 1; moment <= whole.moments; moment++) {
        const killed = await simulate(given, makeStore, [moment])
        expect(killed.outcome.status, `killed at moment ${moment}`).toBe('completed')
        expect(story(killed.events).at(-2), `killed at moment ${moment}`).toBe('3/coder/0 by third')
        expect(new Set(story(killed.events)), `killed at moment ${moment}`).toEqual(new Set(story(whole.events)))
        expect(verifyChain(killed.events).ok).toBe(true)
      }
    },
  )

  it.each([
    ['alone', []],
    ['with another', ['second']],
  ])('FALL-31 a provider that never answers again ends in a question after 20 waits or switches: %s', async (_who, fallbacks) => {
    const { outcome, events } = await simulate({ ...scenario, fallbacks, result: unreachable }, makeStore, [])
    expect(outcome).toMatchObject({ status: 'escalated', iterations: 0 })
    const count = (type: string) => events.filter((event) => event.type === type).length
    expect(count('timer.set') + count('agent.switched')).toBeGreaterThanOrEqual(20)
    expect(count('work.failed')).toBe(21)
    expect(events.find(({ type }) => type === 'escalation.raised')).toMatchObject({
      data: { question: { text: expect.stringContaining('cannot be reached. (after 20 waits)') } },
    })
  })

  it('FALL-33 a provider that was never reached is asked about after 3 waits, and each wait and the question say what to see to', async () => {
    const { outcome, events } = await simulate({ ...scenario, fallbacks: [], result: wrongAddress }, makeStore, [])
    expect(outcome).toMatchObject({ status: 'escalated', iterations: 0 })
    expect(waitsIn(events)).toEqual(
      ['', '', ''].map(() => `Waiting for the provider: The provider cannot be reached: fetch failed. ${FIX}`),
    )
    const [question] = events.flatMap(({ type, data }) => (type === 'escalation.raised' ? [data.question] : []))
    expect(question?.text).toContain(`fetch failed (after 3 waits)\n${FIX}`)
  })

  it.each<[string, Partial<Scenario>]>([
    [
      'that served this agent before',
      { fallbacks: [], result: (iteration) => (iteration === 1 ? { status: 'finished' } : wrongAddress()) },
    ],
    ['that told tokens before it was lost', { fallbacks: [], result: () => ({ ...wrongAddress(), tokens: 5 }) }],
    ['whose agent has another beside it', { fallbacks: ['second'], result: wrongAddress }],
  ])('FALL-33 a provider %s is waited for as any other', async (_which, given) => {
    const { events } = await simulate({ ...scenario, ...given }, makeStore, [])
    expect(events.filter(({ type }) => type === 'work.failed')).toHaveLength(21)
    const [question] = events.flatMap(({ type, data }) => (type === 'escalation.raised' ? [data.question] : []))
    expect(question?.text).toContain(`fetch failed (after 20 waits)\n${FIX}`)
  })

  it('FALL-33 a reviewer that never reached its provider is asked about so too, although the agent was served', async () => {
    const { events } = await simulate({ ...scenario, fallbacks: [], result: served, check: wrongReviewer }, makeStore, [])
    expect(waitsIn(events)).toHaveLength(3)
    const [question] = events.flatMap(({ type, data }) => (type === 'escalation.raised' ? [data.question] : []))
    expect(question?.text).toContain(`(after 3 waits)\n${FIX}`)
  })

  it('FALL-10 the next agent gets the same brief and no session of the other', async () => {
    const asked: Record<string, WorkRequest[]> = { one: [], two: [] }
    const agent = (name: string, result: WorkResult): Agent => ({
      spec: { name, v: 1, settings: {} },
      work: async (request, context) => {
        asked[name]?.push(request)
        await context.started()
        return result
      },
    })
    const limit = { status: 'failed', fault: 'provider-limit', message: 'used up', session: 'session-of-one' } as const
    const loop = createLoop({
      loop: taskLoop({ goal: 'g', baseline: false }),
      agent: agent('one', limit),
      fallbacks: [agent('two', { status: 'finished' })],
      checks: [{ name: 't', spec: { name: 'custom', v: 1, settings: { name: 't' } }, run: async () => ({ status: 'passed' }) }],
      workspace: memoryWorkspace({ a: '1' }),
      store: memoryStore(),
    })
    expect((await loop.run('r')).status).not.toBe('waiting')
    expect(asked['two']?.[0]?.brief).toBe(asked['one']?.[0]?.brief)
    expect(asked['two']?.[0]?.lastSession).toBeUndefined()
  })

  it('FALL-11 an agent that is not there is found out before any check, and a reviewer is replaced as well', async () => {
    const gone = { fault: 'config', message: 'There is no program `one`.', fix: 'Install it (npm install -g one).' } as const
    const workspace = memoryWorkspace({ a: '1' })
    const two = agentCalled('two', {
      work: async ({ role }, context) => {
        await context.started()
        if (role !== 'reviewer') workspace.files.set('a', '2')
        return { status: 'finished', words: '{"verdict":"approve","summary":"right","items":[]}' }
      },
    })
    const limited = agentCalled('critic', {}, { status: 'failed', fault: 'provider-limit', message: 'used up' })
    const loop = createLoop({
      loop: taskLoop({ goal: 'g' }),
      agent: agentCalled('one', { ready: async () => gone }),
      fallbacks: [two],
      checks: [
        { name: 't', spec: { name: 'custom', v: 1, settings: { name: 't' } }, run: async () => ({ status: 'passed' }) },
        agentReview({ agent: limited }),
      ],
      workspace,
      store: memoryStore(),
    })
    expect((await loop.run('r')).status).toBe('completed')
    const events = await loop.events('r')
    expect(story(events)).toEqual(['one > two: unavailable', '1/coder/0 by two', 'critic > two: provider-limit', 'completed'])
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual(['run.started', 'work.failed', 'agent.switched'])
    expect(events[1]).toMatchObject({ by: { role: 'runner', name: 'one' }, data: gone })
  })

  it('FALL-12 two agents of one name are refused', () => {
    const one: Agent = { spec: { name: 'one', v: 1, settings: {} }, work: async () => ({ status: 'finished' }) }
    const parts = {
      loop: taskLoop({ goal: 'g' }),
      agent: one,
      fallbacks: [one],
      workspace: memoryWorkspace({}),
      store: memoryStore(),
    }
    const checks = [{ name: 't', spec: one.spec, run: async () => ({ status: 'passed' as const }) }]
    expect(() => createLoop({ ...parts, checks })).toThrow('called "one"')
  })
})
