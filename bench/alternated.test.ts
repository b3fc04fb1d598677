import { expect, test } from 'vitest'
import { alternated } from './alternated.ts'
import { median } from './median.ts'

test('BENCH-5 two sides are timed in turn, the first round is thrown away, and the value is the median of the ratios of the rounds', async () => {
  const order: string[] = []
  const note = (side: string, values: readonly number[]) => (round: number) => {
    order.push(`${side}${round}`)
    return values[round] ?? 0
  }
  const result = await alternated(3, note('a', [900, 10, 80, 30]), note('b', [1, 5, 10, 10]))
  expect(order).toEqual(['a0', 'b0', 'b1', 'a1', 'a2', 'b2', 'b3', 'a3'])
  expect(result).toEqual({ ones: [10, 80, 30], others: [5, 10, 10], ratios: [2, 8, 3], ratio: 3 })
})

test('BENCH-5 the median of an even number of values lies between the two in the middle', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([7])).toBe(7)
  expect(() => median([])).toThrow('no median')
})
