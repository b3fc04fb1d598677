import { describe, expect, it } from 'vitest'
import { taskLoop } from '../loops/task/index.ts'
import { configOf, journalOf } from '../testing/state-builder.ts'
import { advance } from './advance.ts'
import { memoizedDefinition } from './definition.ts'
import type { WorkFailed } from './event-data.ts'
import type { Event, Fact } from './event.ts'
import { evolve } from '../loops/evolve.ts'
import { agentNow, NEAR_MS_MAX, TRIED_AGAIN_MS } from './fallback.ts'
import { budget, guardFrom } from '../guards/index.ts'
import type { RunConfig } from './run-config.ts'
import type { State } from './state.ts'

const loop = taskLoop({ goal: 'g' })
const definition = memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) })
const AT = 2_000_000
const agent = (name: string) => ({ name, v: 1, settings: {} })

function begun(settings: Partial<RunConfig>): State {
  const config = { ...configOf([budget({ costUsdMax: 1 }).spec]), loop: loop.spec, agent: agent('claude'), ...settings }
  const events = journalOf([{ failures: ['sum'] }], config).slice(0, 3)
  return events.reduce<State | undefined>(evolve, undefined) as State
}

function failed(name: string, data: Partial<WorkFailed>, at = AT): Fact {
  const whole = {
    key: '1/coder/0',
    reason: 'failed',
    fault: 'provider-limit',
    message: 'used up',
    durationMs: 1,
    ...data,
  } as const
  return { type: 'work.failed', at, by: { role: 'agent', name }, data: whole }
}

const switches = (events: readonly Event[]) =>
  events.flatMap(({ type, data }) => (type === 'agent.switched' ? [[data.from, data.to, data.reason, data.until]] : []))

const both = { fallbacks: [agent('codex'), agent('gemini')] }

const ended = (iteration: number, at: number): Fact[] => {
  const verdict = { passed: false, score: 0, failing: 1 }
  const spent = { tree: 't', filesChanged: 1, durationMs: 1, costUsd: 0, tokens: 0 }
  return [
    { type: 'iteration.ended', at, by: { role: 'loop' }, data: { iteration, verdict, ...spent } },
    {
      type: 'decision.made',
      at,
      by: { role: 'loop' },
      data: { iteration, action: 'retry', message: 'm', basis: [], trips: [] },
    },
  ]
}

const timerFired = (at: number): Fact => ({ type: 'timer.fired', at, by: { role: 'runner' }, data: { timer: 'x' } })

describe('fallback', () => {
  it.each([
    ['a far reset', {}, { retryAt: AT + NEAR_MS_MAX + 1 }, AT + NEAR_MS_MAX + 1],
    ['an unknown reset', {}, {}, AT + TRIED_AGAIN_MS],
    ['a reset in the past', {}, { retryAt: AT - 5 }, AT + TRIED_AGAIN_MS],
    ['a near reset, where it is to switch', { onLimit: 'switch' as const }, { retryAt: AT + 5 }, AT + 5],
  ])('FALL-1 at %s the next agent continues, as a fact that says until when', (_name, settings, limit, until) => {
    const { append, step } = advance(definition, 'given', begun({ ...both, ...settings }), [failed('claude', limit)])
    expect(switches(append)).toEqual([['claude', 'codex', 'provider-limit', until]])
    expect(append.at(-1)).toMatchObject({ because: append[0]?.seq, by: { role: 'loop' } })
    expect(step).toMatchObject({ kind: 'perform', effects: [{ kind: 'work', key: '1/coder/0' }] })
  })

  it.each([
    ['its end is known and near', {}, { retryAt: AT + NEAR_MS_MAX }, AT + NEAR_MS_MAX],
    ['it is to be waited for', { onLimit: 'wait' as const }, { retryAt: AT + 9e6 }, AT + 9e6],
    ['nobody could go on', { fallbacks: [] }, { retryAt: AT + 9e6 }, AT + 9e6],
  ])('FALL-2 a limit is waited for where %s', (_name, settings, limit, until) => {
    const { append, step } = advance(definition, 'given', begun({ ...both, ...settings }), [failed('claude', limit)])
    expect(append.map(({ type }) => type)).toEqual(['work.failed', 'timer.set'])
    expect(step).toEqual({ kind: 'wait', for: 'timer', until })
  })

  it('FALL-34 an end that is near and put off again and again is believed twice; then the next agent continues', () => {
    let at = AT
    let state = begun(both)
    const refusals = [1, 2, 3].map(() => {
      const refused = advance(definition, 'given', state, [failed('claude', { retryAt: at + 60_000 }, at)])
      at += 60_000
      state = advance(definition, 'given', refused.state, refused.step.kind === 'wait' ? [timerFired(at)] : []).state
      return refused.append.map(({ type }) => type)
    })
    expect(refusals).toEqual([
      ['work.failed', 'timer.set'],
      ['work.failed', 'timer.set'],
      ['work.failed', 'agent.switched'],
    ])
  })

  it('FALL-3 with the budget used up nobody continues', () => {
    const { append } = advance(definition, 'given', begun(both), [failed('claude', { costUsd: 5 })])
    expect(append.slice(0, 2).map(({ type }) => type)).toEqual(['work.failed', 'work.failed'])
  })

  it('FALL-4 the line is gone down in order, and where all are at their limits the first that is free again is waited for', () => {
    const first = advance(definition, 'given', begun(both), [failed('claude', { retryAt: AT + 3e6 })])
    const second = advance(definition, 'given', first.state, [failed('codex', { retryAt: AT + 2e6 })])
    expect(switches(second.append)).toEqual([['codex', 'gemini', 'provider-limit', AT + 2e6]])
    expect(agentNow(second.state, 'claude')).toBe('gemini')
    const third = advance(definition, 'given', second.state, [failed('gemini', { retryAt: AT + 9e6 })])
    expect(third.step).toEqual({ kind: 'wait', for: 'timer', until: AT + 2e6 })
    const fired = advance(definition, 'given', third.state, [
      { type: 'timer.fired', at: AT + 2e6, by: { role: 'runner' }, data: { timer: 'x' } },
    ])
    expect(switches(fired.append)).toEqual([['gemini', 'codex', 'limit-over', undefined]])
    expect(agentNow(fired.state, 'claude')).toBe('codex')
  })

  it('FALL-5 one that cannot work here is passed over for good; when nobody is left a person is asked', () => {
    const config = { fault: 'config', message: 'There is no program `claude`.', fix: 'Install it.' } as const
    const first = advance(definition, 'given', begun({ fallbacks: [agent('codex')] }), [failed('claude', config)])
    expect(switches(first.append)).toEqual([['claude', 'codex', 'unavailable', undefined]])
    expect(first.state.current.problem).toBeUndefined()
    const second = advance(definition, 'given', first.state, [failed('codex', { ...config, message: 'not logged in' })])
    expect(second.append.map(({ type }) => type)).toEqual(['work.failed', 'decision.made', 'escalation.raised'])
    expect(second.state.question?.question.text).toContain('not logged in')
  })

  it('FALL-6 what the machine lacks is no reason for another agent', () => {
    const disk = failed('claude', { fault: 'environment', message: 'no space left on device' })
    const { append } = advance(definition, 'given', begun(both), [disk])
    expect(switches(append)).toEqual([])
    expect(append.at(-1)?.type).toBe('escalation.raised')
  })

  it('FALL-7 a stand-in stays for the rest of the iteration; the first agent takes the next one once its limit is over', () => {
    const first = advance(definition, 'given', begun(both), [failed('claude', { retryAt: AT + NEAR_MS_MAX + 1 })])
    const early = advance(definition, 'given', first.state, ended(1, AT + 5))
    expect(early.append.map(({ type }) => type)).toContain('iteration.started')
    expect(switches(early.append)).toEqual([])
    const late = advance(definition, 'given', early.state, ended(2, AT + NEAR_MS_MAX + 2))
    expect(late.append.map(({ type }) => type)).toEqual([
      'iteration.ended',
      'decision.made',
      'agent.switched',
      'iteration.started',
    ])
    expect(switches(late.append)).toEqual([['codex', 'claude', 'limit-over', undefined]])
    expect(agentNow(late.state, 'claude')).toBe('claude')
  })

  it('FALL-32 one whose provider could not be reached is said to be tried again, not that a limit is over', () => {
    const first = advance(definition, 'given', begun(both), [failed('claude', { message: 'cannot be reached' })])
    const late = advance(definition, 'given', first.state, ended(1, AT + TRIED_AGAIN_MS + 1))
    expect(late.append.find(({ type }) => type === 'agent.switched')?.data).toMatchObject({ message: 'claude is tried again.' })
  })

  it('FALL-30 after a wait an agent that is free again continues at once, however often it was replaced', () => {
    const line = ['claude', 'codex', 'gemini']
    const resets = [AT + 3e6, AT + 9e6, AT + 20e6]
    const start = begun(both)
    const waiting = line.reduce(
      (state, name, index) =>
        advance(definition, 'given', state, [failed(name, { retryAt: resets[index] as number }, AT + index)]).state,
      start,
    )
    expect(agentNow(waiting, 'claude')).toBe('gemini')
    const after = advance(definition, 'given', waiting, [timerFired(AT + 3e6)])
    expect(switches(after.append)).toEqual([['gemini', 'claude', 'limit-over', undefined]])
    expect(agentNow(after.state, 'claude')).toBe('claude')
    expect(after.step).toMatchObject({ kind: 'perform', effects: [{ kind: 'work', key: '1/coder/0' }] })
  })

  it('FALL-30 an agent whose limit ended while another worked continues when that one reaches its own', () => {
    const first = advance(definition, 'given', begun(both), [failed('claude', { retryAt: AT + 3e6 })])
    const second = advance(definition, 'given', first.state, [failed('codex', { retryAt: AT + 9e6 })])
    const third = advance(definition, 'given', second.state, [failed('gemini', { retryAt: AT + 20e6 }, AT + 4e6)])
    expect(switches(third.append)).toEqual([['gemini', 'claude', 'provider-limit', AT + 20e6]])
  })

  it('FALL-30 who was not free when the wait was over does not take over in the middle of the iteration', () => {
    const first = advance(definition, 'given', begun({ fallbacks: [agent('codex')] }), [failed('claude', { retryAt: AT + 9e6 })])
    const second = advance(definition, 'given', first.state, [failed('codex', { retryAt: AT + 3e6 })])
    const woken = advance(definition, 'given', second.state, [timerFired(AT + 3e6)])
    expect(switches(woken.append)).toEqual([])
    const done = { key: '1/coder/0', durationMs: 1 }
    const by = { role: 'agent', name: 'codex' } as const
    const late = advance(definition, 'given', woken.state, [{ type: 'work.finished', at: AT + 10e6, by, data: done }])
    expect(switches(late.append)).toEqual([])
  })

  it('FALL-8 a new configuration tries everyone again', () => {
    const config = { fault: 'config', message: 'not there' } as const
    const { state } = advance(definition, 'given', begun(both), [failed('claude', config)])
    const data = { config: state.given, message: 'Changed.' }
    const after = advance(definition, 'given', state, [{ type: 'run.reconfigured', at: AT, by: { role: 'runner' }, data }])
    expect(after.state.standIns).toBeUndefined()
  })
})
