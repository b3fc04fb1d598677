import { describe, expect, it } from 'vitest'
import type { Guard } from '../core/guard.ts'
import { guardsIn, raisesOf } from '../core/trip.ts'
import { stateAfter } from '../testing/state-builder.ts'
import { budget } from './budget.ts'
import { allOf, anyOf, not } from './combine.ts'
import { customGuard } from './custom.ts'
import { guardFrom } from './guard-from.ts'
import { maxIterations } from './max-iterations.ts'
import { sameFailure } from './same-failure.ts'

const state = stateAfter([{ failures: ['a'], costUsd: 9 }, { failures: ['a'] }])
const holds = maxIterations(2)
const doesNot = maxIterations(3)
const warns = sameFailure({ repeatsMin: 2 })

describe('combined guards', () => {
  it.each([
    ['anyOf, one holds', anyOf(doesNot, holds), true],
    ['anyOf, none holds', anyOf(doesNot, doesNot), false],
    ['allOf, all hold', allOf(holds, warns), true],
    ['allOf, one does not', allOf(holds, doesNot), false],
    ['not, it holds', not(holds), false],
    ['not, it does not', not(doesNot), true],
    ['nested', allOf(anyOf(doesNot, holds), not(doesNot)), true],
    ['the early warning of a budget is not the budget', anyOf(budget({ costUsdMax: 10 })), false],
  ])('GUARD-11 %s', (_name, guard, expected) => {
    expect(guard.inspect(state).length > 0).toBe(expected)
  })

  it('GUARD-12 a combined trip carries the evidence of its parts', () => {
    const [trip] = allOf(holds, warns).inspect(state)
    expect(trip?.guard).toBe('allOf(maxIterations, sameFailure)')
    expect(Object.keys(trip?.evidence.measures ?? {})).toEqual(['maxIterations', 'sameFailure'])
    expect(trip?.severity).toBe('trip')
  })

  it('GUARD-220 anyOf leaves the time its budget leaves; allOf, which time alone does not trip, leaves none', () => {
    const timed = budget({ durationMsMax: 60_000 })
    const left = timed.remainingMs?.(state)
    expect(left).toBeGreaterThan(0)
    expect(anyOf(doesNot, timed).remainingMs?.(state)).toBe(left)
    expect(anyOf(doesNot, anyOf(timed)).remainingMs?.(state)).toBe(left)
    expect(anyOf(doesNot).remainingMs?.(state)).toBeUndefined()
    expect(allOf(doesNot, timed).remainingMs).toBeUndefined()
  })

  it('GUARD-221 a combined trip names the guards that hold, so that stopOn knows a budget among them', () => {
    const [trip] = anyOf(doesNot, budget({ costUsdMax: 1 })).inspect(state)
    expect(trip && guardsIn(trip)).toEqual(['anyOf(maxIterations, budget)', 'budget'])
  })

  it('GUARD-222 raises everything that holds for anyOf, one thing for allOf', () => {
    const spent = budget({ costUsdMax: 1, tokensMax: 1 })
    expect(raised(anyOf(holds, spent))).toEqual(['maxIterations.iterationsMax', 'budget.costUsdMax'])
    expect(raised(allOf(holds, spent))).toEqual(['maxIterations.iterationsMax'])
    expect(raised(anyOf(holds))).toEqual(['maxIterations.iterationsMax'])
  })

  it('GUARD-13 every guard survives being data', () => {
    const own = customGuard({ name: 'mine', inspect: () => ({ message: 'm', evidence: { facts: [], measures: {} }, hint: 'h' }) })
    for (const guard of [
      holds,
      warns,
      budget({ costUsdMax: 5 }),
      anyOf(doesNot, holds),
      allOf(holds, warns),
      not(doesNot),
      own,
    ]) {
      const again = guardFrom(JSON.parse(JSON.stringify(guard.spec)), [own])
      expect(again.spec).toEqual(guard.spec)
      expect(again.inspect(state)).toEqual(guard.inspect(state))
    }
    expect(() => guardFrom(own.spec)).toThrow('is a function of the program that started this run')
    expect(() => guardFrom({ name: 'nope', v: 1, severity: 'trip', settings: {} })).toThrow('There is no guard "nope"')
    expect(() => allOf()).toThrow('allOf() needs at least one guard')
  })
})

function raised(guard: Guard): readonly string[] {
  return guard
    .inspect(state)
    .flatMap(raisesOf)
    .map(({ guard: name, setting }) => `${name}.${setting}`)
}
