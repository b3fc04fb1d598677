import { describe, expect, it } from 'vitest'
import type { Failure } from '../core/failure.ts'
import { stateAfter } from '../testing/state-builder.ts'
import { sameFailure } from './same-failure.ts'

const saying = (message: string, id = 'a'): { failures: Failure[] } => ({ failures: [{ id, message, kind: 'assertion' }] })

describe('sameFailure', () => {
  it.each([
    ['the same three times', ['x', 'x', 'x'], true],
    ['twice only', ['y', 'x', 'x'], false],
    ['another message', ['x', 'x', 'y'], false],
    ['only the duration differs', ['slow: 12ms', 'slow: 15ms', 'slow: 1.2 s'], true],
    [
      'only time and address differ',
      ['2026-11-15T10:00:00Z at 0xff', '2026-11-15T10:01:00Z at 0xfe', '2026-11-15T10:02:00Z at 0x1'],
      true,
    ],
    ['numbers that mean something differ', ['expected 3, got 4', 'expected 3, got 5', 'expected 3, got 6'], false],
  ])('GUARD-9 %s', (_name, messages, holds) => {
    expect(sameFailure({ repeatsMin: 3 }).inspect(stateAfter(messages.map((message) => saying(message)))).length > 0).toBe(holds)
  })

  it('GUARD-9 the order of failures does not matter, the set does', () => {
    const one = { failures: ['a', 'b'] }
    const other = { failures: ['b', 'a'] }
    expect(sameFailure({ repeatsMin: 2 }).inspect(stateAfter([one, other]))).toHaveLength(1)
    expect(sameFailure({ repeatsMin: 2 }).inspect(stateAfter([one, { failures: ['a'] }]))).toEqual([])
  })

  it('GUARD-10 only warns unless it is made to decide', () => {
    const state = stateAfter([saying('x'), saying('x')])
    expect(sameFailure({ repeatsMin: 2 }).inspect(state)[0]?.severity).toBe('warn')
    expect(sameFailure({ repeatsMin: 2, severity: 'trip' }).inspect(state)[0]?.severity).toBe('trip')
    expect(() => sameFailure({ repeatsMin: 1 })).toThrow('sameFailure: repeatsMin must be a whole number of at least 2')
  })
})
