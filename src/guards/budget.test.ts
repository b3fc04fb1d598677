import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { budget } from './budget.ts'

describe('budget', () => {
  it.each([
    ['cost below the warning', { costUsdMax: 10 }, { costUsd: 3.9 }, []],
    ['cost at the warning', { costUsdMax: 10 }, { costUsd: 4 }, ['warn cost']],
    ['cost at the limit', { costUsdMax: 10 }, { costUsd: 5 }, ['trip cost']],
    ['tokens', { tokensMax: 1000 }, { tokens: 500 }, ['trip tokens']],
    ['time', { durationMsMax: 10_000 }, { durationMs: 5000 }, ['trip time']],
    ['two at once', { costUsdMax: 1, tokensMax: 100 }, { costUsd: 1, tokens: 41 }, ['trip cost', 'warn tokens']],
    ['0 means off', { costUsdMax: 0, tokensMax: 0, durationMsMax: 0 }, { costUsd: 99, tokens: 99, durationMs: 99_999 }, []],
    ['another share', { costUsdMax: 10, warnShare: 0.5 }, { costUsd: 2.5 }, ['warn cost']],
  ])('GUARD-4 two iterations, %s', (_name, options, each, expected) => {
    const trips = budget(options).inspect(
      stateAfter([
        { failures: ['a'], ...each },
        { failures: ['a'], ...each },
      ]),
    )
    expect(trips.map((trip) => `${trip.severity} ${trip.topic}`)).toEqual(expected)
  })

  it('GUARD-5 names the amounts and a value that would let it continue', () => {
    const state = stateAfter([{ failures: ['a'], costUsd: 6 }])
    const [trip] = budget({ costUsdMax: 5 }).inspect(state)
    expect(trip?.message).toBe('The cost budget is used up: $6.00 of $5.00.')
    expect(budget({ costUsdMax: trip?.raise?.to ?? 0 }).inspect(state)).toEqual([])
  })

  it.each([
    [
      [{ costUsd: 6 }, { tokens: 100 }],
      'The cost budget is used up: at least $6.00 of $5.00; the cost of one piece of work is not known.',
    ],
    [
      [{ costUsd: 4 }, { tokens: 100 }, { tokens: 100 }],
      'At least $4.00 of the cost budget of $5.00 is used; the cost of 2 pieces of work is not known.',
    ],
    [[{ costUsd: 4, tokens: 100 }], '$4.00 of the cost budget of $5.00 is used.'],
  ])('GUARD-246 says what it cannot count: %j', (given, message) => {
    const state = stateAfter(given.map((each) => ({ failures: ['a'], ...each })))
    expect(budget({ costUsdMax: 5 }).inspect(state)).toMatchObject([{ topic: 'cost', message }])
  })

  it.each([
    [
      [{ tokens: 60 }, { costUsd: 1 }],
      'The tokens budget is used up: at least 60 tokens of 50 tokens; the tokens of one piece of work are not all known.',
    ],
    [
      [{ tokens: 40 }, { costUsd: 1 }, { costUsd: 1 }],
      'At least 40 tokens of the tokens budget of 50 tokens is used; the tokens of 2 pieces of work are not all known.',
    ],
    [[{ tokens: 60 }], 'The tokens budget is used up: 60 tokens of 50 tokens.'],
  ])('GUARD-246 says what it cannot count of tokens: %j', (given, message) => {
    const state = stateAfter(given.map((each) => ({ failures: ['a'], ...each })))
    expect(budget({ tokensMax: 50 }).inspect(state)).toMatchObject([{ topic: 'tokens', message }])
  })

  it('GUARD-15 three times thirty cents are ninety cents', () => {
    const each = { failures: ['a'], costUsd: 0.3 }
    expect(budget({ costUsdMax: 0.9 }).inspect(stateAfter([each, each, each]))[0]?.severity).toBe('trip')
  })

  it('GUARD-6 leaves an agent only the time that remains', () => {
    const state = stateAfter([{ failures: ['a'], durationMs: 4000 }])
    expect(budget({ durationMsMax: 10_000 }).remainingMs?.(state)).toBe(6000)
    expect(budget({ durationMsMax: 1000 }).remainingMs?.(state)).toBe(0)
    expect(budget({ costUsdMax: 1 }).remainingMs?.(state)).toBeUndefined()
  })

  it('GUARD-3 refuses what cannot work', () => {
    expect(() => budget({ costUsdMax: -1 })).toThrow('budget: costUsdMax must be a number of at least 0')
    expect(() => budget({ costUsdMax: 1, warnShare: 0 })).toThrow('budget: warnShare must be a share above 0 and up to 1')
  })
})
