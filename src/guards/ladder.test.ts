import { describe, expect, it } from 'vitest'
import { taskLoop } from '../loops/task/index.ts'
import { checkFact, play } from '../../test/support/play.ts'
import { stateAfter } from '../testing/state-builder.ts'
import type { State } from '../core/state.ts'
import { budget } from './budget.ts'
import { circuitBreaker } from './circuit-breaker.ts'
import { allOf, withSeverity } from './combine.ts'
import { guardFrom } from './guard-from.ts'
import { ladder } from './ladder.ts'
import { customGuard } from './custom.ts'
import { sameFailure } from './same-failure.ts'
import { tampering } from './tampering.ts'

const told = (state: State, topic: string, iteration: number): State => ({ ...state, nudged: [{ topic, iteration }] })
const after = (count: number) => stateAfter(Array.from({ length: count }, () => ({ failures: ['a'] })))
const guard = ladder(sameFailure({ repeatsMin: 2 }))

describe('ladder', () => {
  it.each([
    ['not told yet', after(4), 'warn'],
    ['just told', told(after(4), 'sameFailure', 4), 'warn'],
    ['told an iteration ago', told(after(5), 'sameFailure', 4), 'warn'],
    ['told two iterations ago', told(after(6), 'sameFailure', 4), 'trip'],
    ['told of something else', told(after(6), 'budget:cost', 1), 'warn'],
    ['nothing holds', after(1), undefined],
  ])('GUARD-44 %s', (_name, state, severity) => {
    expect(guard.inspect(state)[0]?.severity).toBe(severity)
  })

  it('GUARD-45 the trip says that telling did not help, under the name of its guard', () => {
    const [trip] = guard.inspect(told(after(6), 'sameFailure', 4))
    expect(trip?.guard).toBe('sameFailure')
    expect(trip?.message).toMatch(/The agent got a warning in iteration 4; it didn't help\.$/)
    expect(trip?.evidence.measures).toMatchObject({ repeats: 6, toldInIteration: 4, patience: 2 })
    expect(trip?.raise?.guard).toBe('sameFailure')
  })

  it('GUARD-45 a message without a full stop gets one before it', () => {
    const trips = { message: 'It is stuck', evidence: { facts: [], measures: {} }, hint: '' }
    const [trip] = ladder(customGuard({ name: 'mine', inspect: () => trips })).inspect(told(after(6), 'mine', 1))
    expect(trip?.message).toBe("It is stuck. The agent got a warning in iteration 1; it didn't help.")
  })

  it('GUARD-44 nudges once and trips two iterations later, over a whole run', () => {
    expect(judgedEach(['a', 'a', 'a', 'a'])).toEqual([[], ['guard.nudged'], [], ['guard.tripped']])
  })

  it('GUARD-44 what stopped holding meanwhile starts over', () => {
    expect(judgedEach(['a', 'a', 'b', 'b', 'b', 'b'])).toEqual([
      [],
      ['guard.nudged'],
      [],
      ['guard.nudged'],
      [],
      ['guard.tripped'],
    ])
  })

  it('GUARD-46 a guard that decides is made to nudge first, and a nudge disputes no pass and takes no time', () => {
    expect(ladder(circuitBreaker({ failuresMax: 1 })).inspect(after(3))[0]?.severity).toBe('warn')
    expect(ladder(budget({ durationMsMax: 1 })).remainingMs).toBeUndefined()
    const suspicious = after(1)
    const suspicions = [{ kind: 'protected' as const, file: 'contract.ts', text: '+ a' }]
    const observed = { ...suspicious.current.observed, suspicions } as NonNullable<State['current']['observed']>
    const state = { ...suspicious, current: { ...suspicious.current, observed } }
    expect(ladder(tampering()).inspect(state)[0]).not.toHaveProperty('disputesPass')
    expect(
      ladder(tampering()).inspect(told({ ...state, current: { ...state.current, number: 9 } }, 'tampering', 1))[0],
    ).toMatchObject({
      disputesPass: true,
    })
  })

  it('GUARD-46 is data, combines, and refuses what cannot work', () => {
    expect(guardFrom(JSON.parse(JSON.stringify(guard.spec))).spec).toEqual(guard.spec)
    expect(allOf(guard).inspect(told(after(5), 'sameFailure', 4))).toEqual([])
    expect(allOf(guard).inspect(told(after(6), 'sameFailure', 4))).toHaveLength(1)
    expect(withSeverity(guard, 'warn').inspect(told(after(6), 'sameFailure', 4))[0]?.severity).toBe('warn')
    expect(() => ladder(guard, { patience: 0 })).toThrow('ladder: patience must be a whole number of at least 1')
  })
})

/** What the ladder says after each iteration of a run in which these fail. */
function judgedEach(failures: readonly string[]): readonly (readonly string[])[] {
  const { events } = play({
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards: [guard],
    respond: (effect, state) => {
      if (effect.kind !== 'check') return undefined
      const id = failures[effect.iteration - 1]
      return [checkFact(effect, state, id === undefined ? [] : [{ id, message: id, kind: 'assertion' }])]
    },
  })
  return failures.map((_id, index) => {
    const from = events.findIndex((event) => event.type === 'iteration.ended' && event.data.iteration === index + 1)
    const to = events.findIndex((event) => event.type === 'iteration.started' && event.data.iteration === index + 2)
    const types = events.slice(from, to === -1 ? events.length : to).map((event) => event.type)
    return types.filter((type) => type.startsWith('guard.'))
  })
}
