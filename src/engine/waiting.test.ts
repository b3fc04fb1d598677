import { describe, expect, it } from 'vitest'
import type { WorkResult } from '../agents/agent.ts'
import { troubleOfError } from '../agents/agent-trouble.ts'
import type { Event } from '../core/event.ts'
import type { Guard } from '../core/guard.ts'
import { withRaises } from '../core/raises.ts'
import { budget, deadline, guardFrom, maxIterations } from '../guards/index.ts'
import { taskLoop } from '../loops/task/index.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { type Scenario, simulate } from '../testing/simulation.ts'
import { configOf, stateAfter } from '../testing/state-builder.ts'

const makeStore = (isAlive: Parameters<Parameters<typeof simulate>[1]>[0]) => memoryStore({ isAlive })

const MINUTE_MS = 60_000

const limited = (more: object = {}): WorkResult => ({ status: 'failed', fault: 'provider-limit', message: 'used up', ...more })

function scenarioOf(guards: readonly Guard[], result: NonNullable<Scenario['result']>): Scenario {
  return {
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards: [maxIterations(5), ...guards],
    files: { answer: '0' },
    work: () => [],
    result,
    check: () => ({ status: 'failed', failures: [{ id: 'answer', message: 'wrong', kind: 'assertion' }] }),
  }
}

const questionIn = (events: readonly Event[]) =>
  events.flatMap(({ type, data }) => (type === 'escalation.raised' ? [data.question.text] : [])).at(-1)

const waitsIn = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'timer.set' ? [event.data.until - event.at] : []))

describe('waiting', () => {
  it('LIMIT-16 is bounded over all waits of a run: then Pawl asks, with the line that lets it wait longer', async () => {
    const scenario = scenarioOf([budget({ waitMsMax: 10 * MINUTE_MS })], () => limited())
    const { outcome, events } = await simulate(scenario, makeStore, [])
    expect(outcome.status).toBe('escalated')
    // One, two and four minutes; eight more would be too long.
    expect(waitsIn(events)).toEqual([1, 2, 4].map((minutes) => minutes * MINUTE_MS))
    expect(questionIn(events)).toMatch(
      /used up \(not waited for another 8 min 0 s: the run may wait 10 min 0 s in all, and waited 7 min 0 s\)\nTo wait longer: pawl resume \S+ --max-wait 20m/,
    )
  })

  it('LIMIT-16 a wait that is too long from the start is not begun', async () => {
    const scenario = scenarioOf([budget({ waitMsMax: 10 * MINUTE_MS })], (_iteration, now) => limited({ retryAt: now + 9e6 }))
    const { events } = await simulate(scenario, makeStore, [])
    expect(waitsIn(events)).toEqual([])
    expect(questionIn(events)).toContain('(not waited for another 2 h 30 min: the run may wait 10 min 0 s in all)')
  })

  it('LIMIT-17 nothing is waited for beyond the deadline', async () => {
    const scenario = scenarioOf([deadline({ afterMs: 60 * MINUTE_MS })], (_iteration, now) => limited({ retryAt: now + 9e6 }))
    const { events } = await simulate(scenario, makeStore, [])
    expect(waitsIn(events)).toEqual([])
    expect(questionIn(events)).toMatch(/the deadline is \d{4}-\d\d-\d\d \d\d:\d\d UTC\)\nTo set a later deadline: pawl resume/)
  })

  it('LIMIT-18 a deadline may count from the start of the run', () => {
    const state = stateAfter([{ failures: ['a'] }])
    const guard = deadline({ afterMs: state.at - state.startedAt })
    const [trip] = guard.inspect(state)
    expect(trip).toMatchObject({ code: 'deadline.reached', raise: { setting: 'afterMs' } })
    expect(deadline({ afterMs: state.at - state.startedAt + 5000 }).remainingMs?.(state)).toBe(5000)
    const raise = trip?.raise
    const { config } = withRaises(configOf([guard.spec]), raise ? [raise] : [])
    const [raised] = config.guards
    expect(raised && guardFrom(raised).inspect(state)).toEqual([])
    expect(() => deadline({})).toThrow('deadline needs until or afterMs')
  })

  it('LIMIT-19 a provider that is down is asked about after 15 minutes, one with a limit is waited for longer', async () => {
    const down = await simulate(
      scenarioOf([], () => limited({ isOutage: true })),
      makeStore,
      [],
    )
    expect(waitsIn(down.events)).toEqual([1, 2, 4, 8].map((minutes) => minutes * MINUTE_MS))
    expect(questionIn(down.events)).toContain('used up (after 4 waits)')
    const limit = await simulate(
      scenarioOf([], () => limited()),
      makeStore,
      [],
    )
    expect(waitsIn(limit.events)).toHaveLength(20)
  })

  it.each<[string, object, true | undefined]>([
    ['status 500', { status: 500 }, true],
    ['status 529', { status: 529 }, true],
    ['a refused connection', { code: 'connection_failed' }, true],
    ['status 429', { status: 429 }, undefined],
  ])('LIMIT-20 %s', async (_name, error, isOutage) => {
    const trouble = await troubleOfError({ message: 'no', source: '', ...error }, { name: 'claude' }, 0)
    expect(trouble).toMatchObject({ fault: 'provider-limit' })
    expect(trouble?.isOutage).toBe(isOutage)
  })
})
