import { expect, test } from 'vitest'
import { usageOf } from './usage-of.ts'
import { sessionOf } from './work-details.ts'

test('CORE-239 what an agent tells is taken where it can be an amount; else it used more than is known', () => {
  expect(usageOf({ costUsd: 0.5, tokens: 7 })).toEqual({ costUsd: 0.5, tokens: 7 })
  expect(usageOf({ costUsd: 1e308, tokens: 7 })).toEqual({ tokens: 7, isUsagePartial: true })
  expect(usageOf({})).toEqual({})
})

test('CORE-239 a sum of a session that cannot be one is none', () => {
  const sum = { costUsd: 2, tokens: 7 }
  expect(sessionOf({ session: 's-1', sessionUsed: sum, settlesSession: true })).toEqual({
    session: 's-1',
    sessionUsed: sum,
    settlesSession: true,
  })
  expect(sessionOf({ session: 's-1', sessionUsed: { ...sum, costUsd: 1e308 }, settlesSession: true })).toEqual({ session: 's-1' })
})
