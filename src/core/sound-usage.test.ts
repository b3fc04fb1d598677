import { expect, test } from 'vitest'
import { soundUsage } from './spending.ts'

test.each([
  [
    { costUsd: 1e308, tokens: 5 },
    { tokens: 5, isUsagePartial: true },
  ],
  [
    { costUsd: 0.5, tokens: 1e13 },
    { costUsd: 0.5, isUsagePartial: true },
  ],
  [{ costUsd: Number.NaN }, { isUsagePartial: true }],
  [{ costUsd: -1, tokens: Infinity }, { isUsagePartial: true }],
  // As JSON keeps what is infinite.
  [
    { costUsd: null as unknown as number, key: 'k' },
    { key: 'k', isUsagePartial: true },
  ],
])('CORE-239 an amount that cannot be one is left out, and more was used than is known: %o', (told, expected) => {
  expect(soundUsage(told)).toEqual(expected)
})

test.each([{}, { costUsd: 0, tokens: 0 }, { costUsd: 1_000_000, tokens: 1e12 }, { tokens: 7, isUsagePartial: true as const }])(
  'CORE-239 what can be one stays as it is: %o',
  (told) => {
    expect(soundUsage(told)).toBe(told)
  },
)
