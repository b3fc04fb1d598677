import { describe, expect, it } from 'vitest'
import type { WorkSoFar } from '../core/guard.ts'
import { stateAfter } from '../testing/state-builder.ts'
import { idle } from './idle.ts'

const quiet = (quietMs: number): WorkSoFar => ({ used: {}, messages: 3, actions: [], quietMs })

describe('idle', () => {
  it.each([
    [599_999, false],
    [600_000, true],
  ])('GUARD-248 holds after ten minutes without a sign: %i ms', (quietMs, holds) => {
    expect((idle().watch?.(stateAfter([]), quiet(quietMs)) ?? []).length > 0).toBe(holds)
  })

  it('GUARD-248 only warns unless it is made to decide, and says nothing of work that came to its end', () => {
    const state = stateAfter([{ failures: ['a'] }])
    expect(idle({ quietMsMax: 5 }).watch?.(state, quiet(5))[0]?.severity).toBe('warn')
    expect(idle({ quietMsMax: 5, severity: 'trip' }).watch?.(state, quiet(5))[0]?.severity).toBe('trip')
    expect(idle({ quietMsMax: 5, severity: 'trip' }).inspect(state)).toEqual([])
    expect(() => idle({ quietMsMax: 0 })).toThrow('idle: quietMsMax must be a number of milliseconds above 0')
  })
})
