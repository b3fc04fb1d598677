import { expect, test } from 'vitest'
import { boostedTrees, marginOf, type TreeOptions } from './boosted-trees.ts'

const OPTIONS: TreeOptions = {
  trees: 40,
  rate: 0.2,
  depthMax: 2,
  leafMin: 5,
  shrinkage: 1,
  binsMax: 16,
  rowShare: 0.7,
  direction: [0, 0],
}

/** Yes in 90 of 100 where both are above 4, else in 10 of 100; the second falls in a stretch where the first is low. */
const rows = Array.from({ length: 1000 }, (_, index) => [index % 10, Math.floor(index / 10) % 10])
const yes = rows.map(([one = 0, other = 0], index) => Number((one > 4 && other > 4) === (index % 97) % 10 > 0))

function chance(options: TreeOptions, row: readonly number[]): number {
  return 1 / (1 + Math.exp(-marginOf(boostedTrees(rows, yes, options), row)))
}

test('ODDS-12 trees learn what only two traits together say, as often as it is so', () => {
  expect(chance(OPTIONS, [8, 8])).toBeGreaterThan(0.8)
  expect(chance(OPTIONS, [8, 2])).toBeLessThan(0.25)
  expect(chance(OPTIONS, [2, 8])).toBeLessThan(0.25)
})

test('ODDS-12 the same rows give the same trees', () => {
  expect(boostedTrees(rows, yes, OPTIONS)).toEqual(boostedTrees(rows, yes, OPTIONS))
})

test('ODDS-12 a direction holds for the whole model, against what the rows say', () => {
  const model = boostedTrees(rows, yes, { ...OPTIONS, direction: [-1, 0] })
  for (let other = 0; other < 10; other++) {
    const margins = Array.from({ length: 10 }, (_, one) => marginOf(model, [one, other]))
    expect(margins.toSorted((one, two) => two - one)).toEqual(margins)
  }
})
