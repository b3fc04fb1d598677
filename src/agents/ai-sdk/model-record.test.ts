import { expect, test } from 'vitest'
import { addedUsage, costOf, type StepUsage } from './model-record.ts'

const steps = (...all: readonly { usage: object; providerMetadata?: unknown }[]): StepUsage =>
  all.reduce<StepUsage>(addedUsage, {})

test('SDK-4 tokens are summed over the steps; what no step tells stays unknown', () => {
  expect(steps({ usage: { inputTokens: 5, outputTokens: 2 } }, { usage: { totalTokens: 10, inputTokens: 8 } })).toEqual({
    tokens: 17,
    inputTokens: 13,
    outputTokens: 2,
  })
  expect(steps({ usage: {} }, { usage: { inputTokens: Number.NaN } })).toEqual({})
  expect(costOf(steps({ usage: {} }), { inputUsdPerMillion: 1, outputUsdPerMillion: 1 })).toBeUndefined()
})

test('SDK-4 a provider that reports a cost is believed, unless prices are given', () => {
  const told = steps(
    { usage: { inputTokens: 1_000_000, outputTokens: 0, raw: { cost: 0.02 } } },
    { usage: {}, providerMetadata: { gateway: { cost: '0.03' } } },
  )
  expect(costOf(told, undefined)).toBeCloseTo(0.05)
  expect(costOf(told, { inputUsdPerMillion: 4, outputUsdPerMillion: 1 })).toBeCloseTo(4)
})

test('SDK-4 cached input has its own price', () => {
  const used = steps({ usage: { inputTokens: 1000, outputTokens: 100, inputTokenDetails: { cacheReadTokens: 900 } } })
  const prices = { inputUsdPerMillion: 10, outputUsdPerMillion: 20, cachedInputUsdPerMillion: 1 }
  expect(costOf(used, prices)).toBeCloseTo((100 * 10 + 900 * 1 + 100 * 20) / 1e6, 12)
})
