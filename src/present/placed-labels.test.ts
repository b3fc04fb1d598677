import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type PlacedLabel, placedLabels } from './backtest-page.ts'

const area = { left: 50, top: 20, right: 800, bottom: 350 }

function isCovering(one: PlacedLabel, other: PlacedLabel): boolean {
  const [left, right] = [one, other].map(({ words, x, anchor }) => {
    const width = words.length * 6
    return anchor === 'start' ? [x, x + width] : [x - width, x]
  }) as [number[], number[]]
  const isBeside = (left[1] ?? 0) <= (right[0] ?? 0) || (right[1] ?? 0) <= (left[0] ?? 0)
  return !isBeside && Math.abs(one.y - other.y) < 11
}

it('BACK-41 every point of a chart has its label, ten of them side by side cover nothing, and points at one place share one', () => {
  const near = Array.from({ length: 10 }, (_, index) => ({ name: `policy number ${index}`, x: 300 + index, y: 200 - 2 * index }))
  const labels = placedLabels([...near, { name: 'the same', x: 300, y: 200 }], area)
  expect(labels).toHaveLength(10)
  expect(labels[0]?.words).toBe('policy number 0, the same')
  expect(labels.filter((one, index) => labels.some((other, place) => place > index && isCovering(one, other)))).toEqual([])
})

it('BACK-41 wherever the points are, no label is missing and none leaves the chart', () => {
  const point = fc.record({ name: fc.string({ maxLength: 20 }), x: fc.nat(620), y: fc.nat(300) })
  expect(() =>
    fc.assert(
      fc.property(fc.array(point, { maxLength: 30 }), (points) => {
        const moved = points.map(({ name, x, y }, index) => ({ name: `${index}${name}`, x: x + 56, y: y + 28 }))
        const labels = placedLabels(moved, area)
        const named = moved.every(({ name }) => labels.some(({ words }) => words.includes(name)))
        const places = new Set(moved.map(({ x, y }) => `${x} ${y}`)).size
        return named && labels.length === places && labels.every(({ y }) => y >= area.top && y <= area.bottom)
      }),
      { numRuns: 100 },
    ),
  ).not.toThrow()
})

it('BACK-41 a label is beside no point of another name if there is room elsewhere', () => {
  // The second point is where the label of the first would begin.
  const points = [
    { name: 'first', x: 300, y: 200 },
    { name: 'second', x: 312, y: 214 },
  ]
  for (const { words, x, y, anchor } of placedLabels(points, area)) {
    const other = points.find(({ name }) => name !== words) as (typeof points)[number]
    const [left, right] = anchor === 'start' ? [x, x + 6 * words.length] : [x - 6 * words.length, x]
    const aside = Math.max(left - other.x, other.x - right, 0)
    expect(Math.max(aside, Math.abs(y - 4 - other.y) - 7)).toBeGreaterThanOrEqual(12)
  }
})
