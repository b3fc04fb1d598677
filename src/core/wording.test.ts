import { expect, test } from 'vitest'
import { duration, money } from './wording.ts'

test.each([
  [0, '$0.00'],
  [0.5, '$0.50'],
  [0.42, '$0.42'],
  [0.0153, '$0.0153'],
  [0.42346, '$0.4235'],
  [0.1000001, '$0.10'],
  [0.00123456, '$0.00123'],
  [0.0000004, '$0.0000004'],
  [0.99999, '$1.00'],
  [1, '$1.00'],
  [12.3456, '$12.35'],
])('CORE-145 %d dollars read as %s', (usd, words) => {
  expect(money(usd)).toBe(words)
})

function read(usd: number): number {
  return Number(money(usd).slice(1))
}

test('CORE-145 small amounts add up as they are read', () => {
  const [one, other] = [0.0153, 0.0156]
  expect(read(one) + read(other)).toBeCloseTo(read(one + other), 9)
})

test.each([
  [850, '850 ms'],
  [999.6, '1.0 s'],
  [9940, '9.9 s'],
  [9960, '10 s'],
  [59_960, '1 min 0 s'],
  [119_600, '2 min 0 s'],
  [419_827, '7 min 0 s'],
  [3_599_900, '1 h 0 min'],
  [7_500_000, '2 h 5 min'],
])('CORE-251 %d milliseconds read as %s', (ms, words) => {
  expect(duration(ms)).toBe(words)
})
