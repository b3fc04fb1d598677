import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { deadline } from './deadline.ts'

const state = stateAfter([{ failures: ['a'] }])

describe('deadline', () => {
  it.each([
    ['before it', 1, false],
    ['at the very instant', 0, true],
    ['after it', -90_000, true],
  ])('GUARD-42 %s', (_name, ahead, trips) => {
    const found = deadline({ until: state.at + ahead }).inspect(state)
    expect(found.map((trip) => trip.severity)).toEqual(trips ? ['trip'] : [])
  })

  it('GUARD-42 leaves an agent only the time until then, unless it only warns', () => {
    expect(deadline({ until: state.at + 5000 }).remainingMs?.(state)).toBe(5000)
    expect(deadline({ until: state.at - 5000 }).remainingMs?.(state)).toBe(0)
    expect(deadline({ until: state.at + 5000, severity: 'warn' }).remainingMs).toBeUndefined()
  })

  it('GUARD-42 names the instant and one that would let it continue', () => {
    const until = Date.parse('1970-01-01T00:15:01Z')
    const [trip] = deadline({ until }).inspect({ ...state, at: until + 90_000 })
    expect(trip?.message).toBe('The deadline has come: 1970-01-01 00:15 UTC, 1 min 30 s ago.')
    expect(deadline({ until: trip?.raise?.to ?? 0 }).inspect({ ...state, at: until + 90_000 })).toEqual([])
    expect(() => deadline({ until: Number.NaN })).toThrow('deadline: until must be a number of at least 0')
  })
})
