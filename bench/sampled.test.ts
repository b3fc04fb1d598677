import { expect, test } from 'vitest'
import { sampled } from './sampled.ts'

test('a sample is spread evenly, and never larger than asked for or than what there is', () => {
  const values = Array.from({ length: 100 }, (_, index) => index)
  expect(sampled(values, 4)).toEqual([0, 25, 50, 75])
  expect(sampled(values, 33)).toHaveLength(33)
  expect(sampled(values, 1000)).toEqual(values)
  expect(sampled([], 3)).toEqual([])
})
