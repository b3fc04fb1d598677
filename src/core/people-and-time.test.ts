import { describe, expect, it } from 'vitest'
import { taskLoop } from '../loops/task/index.ts'
import { configOf, type IterationGiven, journalOf } from '../testing/state-builder.ts'
import { advance } from './advance.ts'
import { memoizedDefinition } from './definition.ts'
import type { Event, Fact } from './event.ts'
import { evolve } from '../loops/evolve.ts'
import type { Guard } from './guard.ts'
import { allOf, budget, circuitBreaker, customGuard, guardFrom, maxIterations, withSeverity } from '../guards/index.ts'
import { withRaises } from './raises.ts'
import type { State } from './state.ts'

const loop = taskLoop({ goal: 'g' })
const definition = memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) })
const person = { role: 'person' } as const
const failing = { failures: ['sum'] }

function judgedAfter(iterations: readonly IterationGiven[], guards: readonly Guard[]): State {
  const config = { ...configOf(guards.map((guard) => guard.spec)), loop: loop.spec }
  const given = journalOf(iterations, config).reduce<State | undefined>(evolve, undefined)
  return advance(definition, 'given', given, []).state
}

function told(state: State, ...facts: readonly Fact[]): State {
  return advance(definition, 'given', state, facts).state
}

const answer = (choice: string, because?: number): Fact => ({
  type: 'escalation.answered',
  at: 9e9,
  by: person,
  data: { choice },
  ...(because === undefined ? {} : { because }),
})

function begun(costUsdMax: number): State {
  const config = { ...configOf([budget({ costUsdMax }).spec]), loop: loop.spec }
  const events = journalOf([failing], config).slice(0, 3)
  return events.reduce<State | undefined>(evolve, undefined) as State
}

const waive = (guard: string): Fact => ({ type: 'guard.waived', at: 9e9, by: person, data: { guard } })

describe('people', () => {
  it('CORE-8 the last answer counts: one that was taken back does nothing later', () => {
    const asked = judgedAfter([failing], [maxIterations(1)])
    const state = told(asked, answer('accept'), answer('continue'))
    expect(state.status).toBe('running')
    expect(state.answer).toBeUndefined()
  })

  it('CORE-9 an answer to an earlier question is not taken for the present one', () => {
    const asked = judgedAfter([failing], [maxIterations(1)])
    expect(told(asked, answer('abort', 1)).status).toBe('escalated')
    expect(told(asked, answer('abort', asked.question?.seq)).status).toBe('aborted')
  })

  it('CORE-10 waiving one of two trips does not pass the other', () => {
    const asked = judgedAfter([{ ...failing, costUsd: 5 }], [maxIterations(1), budget({ costUsdMax: 1 })])
    const one = told(asked, waive('maxIterations'))
    expect(one.status).toBe('stopped')
    const both = told(one, waive('budget'))
    expect([both.status, both.waivers]).toEqual(['running', []])
  })

  it('CORE-11 a run that is over stays over, and only a run at work can be paused', () => {
    const paused: Fact = { type: 'run.paused', at: 9e9, by: { role: 'runner' }, data: { reason: 'r' } }
    const aborted: Fact = { type: 'run.aborted', at: 9e9, by: person, data: { reason: 'a' } }
    const asked = judgedAfter([failing], [maxIterations(1)])
    expect(told(asked, paused).status).toBe('escalated')
    expect(told(asked, aborted, paused).status).toBe('aborted')
    expect(told(judgedAfter([{ failures: [] }], [maxIterations(1)]), aborted).status).toBe('completed')
  })
})

describe('time and settings', () => {
  it('CORE-12 what a person says while nobody drives is no time at work', () => {
    const running = journalOf([failing, failing], configOf([])).slice(0, -3).reduce<State | undefined>(evolve, undefined) as State
    const hours = 36e5 * 10
    const waived = evolve(running, {
      type: 'guard.waived',
      seq: running.seq + 1,
      run: 'given',
      v: 1,
      at: running.at + hours,
      by: person,
      data: { guard: 'x' },
    })
    const holder = { pid: 1, startedAt: '', host: '' }
    const resumed = evolve(waived, {
      type: 'run.resumed',
      seq: waived.seq + 1,
      run: 'given',
      v: 1,
      at: running.at + hours + 5,
      by: { role: 'runner' },
      data: { holder, reason: '' },
    })
    expect(resumed.totals.activeMs).toBe(running.totals.activeMs)
  })

  it('CORE-12 nor is the time until another configuration is given to a run whose driver is gone', () => {
    const running = journalOf([failing, failing], configOf([])).slice(0, -3).reduce<State | undefined>(evolve, undefined) as State
    const at = running.at + 36e5
    const by = { role: 'runner' } as const
    const given = { type: 'run.reconfigured', at, by, data: { config: running.given, message: 'm' } } as const
    const resumed = (more: object): Fact => {
      const data = { holder: { pid: 1, startedAt: '', host: '' }, reason: '', ...more }
      return { type: 'run.resumed', at: at + 5, by, data }
    }
    const after = (...facts: readonly Fact[]) =>
      facts.reduce<State>((state, fact) => evolve(state, { seq: state.seq + 1, run: 'given', v: 1, ...fact } as Event), running)
    expect(after(given, resumed({})).totals.activeMs).toBe(running.totals.activeMs)
    expect(after(given, resumed({ drivenUntil: running.at + 70 })).totals.activeMs, 'CORE-238').toBe(running.totals.activeMs + 70)
    // A clock that goes wrong counts nothing twice.
    expect(after(resumed({ drivenUntil: running.at - 70 })).totals.activeMs).toBe(running.totals.activeMs)
    expect(after(resumed({ drivenUntil: at * 2 })).at).toBe(at + 5)
  })

  it('CORE-13 other checks on resume check the iteration from the first', () => {
    const before = journalOf([failing], { ...configOf([maxIterations(3).spec]), loop: loop.spec }).slice(0, -1)
    const state = before.reduce<State | undefined>(evolve, undefined) as State
    const config = { ...state.given, checks: [{ name: 'given', v: 1, settings: { name: 'lint' } }] }
    const { step } = advance(definition, 'given', state, [
      { type: 'run.reconfigured', at: 9e9, by: { role: 'runner' }, data: { config, message: 'm' } },
    ])
    expect(step).toMatchObject({ kind: 'perform', effects: [{ kind: 'check', name: 'lint', key: `1/check-${state.seq + 1}/0` }] })
  })

  it('CORE-14 raising never lowers a limit and never adds one', () => {
    const specs = [circuitBreaker({ failuresMax: 20 }).spec, budget({ costUsdMax: 0, tokensMax: 5 }).spec]
    const raises = [
      { guard: 'circuitBreaker', setting: 'failuresMax', to: 4, label: '' },
      { guard: 'budget', setting: 'costUsdMax', to: 9, label: '' },
      { guard: 'budget', setting: 'tokensMax', to: 9, label: '' },
    ]
    const settings = withRaises(configOf(specs), raises).config.guards.map((guard) => guard.settings)
    expect(settings).toMatchObject([{ failuresMax: 20 }, { costUsdMax: 0, tokensMax: 9 }])
  })

  it('CORE-15 a spent budget is not waited for at a provider limit, and a reset time in the past is no reason to hurry', () => {
    const limit: Fact = {
      type: 'work.failed',
      at: 2e6,
      by: { role: 'agent' },
      data: {
        key: '1/coder/0',
        reason: 'failed',
        fault: 'provider-limit',
        message: 'limit',
        retryAt: 1,
        durationMs: 1,
        costUsd: 5,
      },
    }
    const spent = advance(definition, 'given', begun(1), [limit])
    expect(spent.append.map((event) => event.type)).toEqual(['work.failed', 'work.failed'])
    const waiting = advance(definition, 'given', begun(100), [limit])
    expect(waiting.step).toEqual({ kind: 'wait', for: 'timer', until: 2e6 + 60_000 })
  })

  it('CORE-16 guards inside guards keep their functions, and one that only warns sets no deadline', () => {
    const own = customGuard({ name: 'mine', inspect: () => undefined })
    const whole = allOf(own, maxIterations(2))
    expect(guardFrom(whole.spec, [whole]).spec).toEqual(whole.spec)
    expect(withSeverity(budget({ durationMsMax: 5 }), 'warn').remainingMs).toBeUndefined()
  })
})
