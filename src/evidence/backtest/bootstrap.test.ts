import { describe, expect, it } from 'vitest'
import { drawTasks, RESAMPLES, shareInterval } from './bootstrap.ts'

/** Every second task. */
function half(tasks: number): readonly number[] {
  return Array.from({ length: tasks }, (_, task) => task % 2)
}

function width(tasks: number): number {
  const ones = Array.from({ length: tasks }, () => 1)
  const [low, high] = shareInterval(drawTasks(tasks), half(tasks), ones) ?? [0, 0]
  expect(low).toBeLessThan(0.5)
  expect(high).toBeGreaterThan(0.5)
  return high - low
}

describe('bootstrap', () => {
  it('BACK-20 draws as many tasks as there are, the same ones every time', () => {
    const draws = drawTasks(7)
    expect(draws).toHaveLength(RESAMPLES)
    expect(new Set(draws.map((times) => times.reduce((sum, count) => sum + count, 0)))).toEqual(new Set([7]))
    expect(drawTasks(7)).toEqual(draws)
    expect(drawTasks(1)).toEqual([])
  })

  it('BACK-20 the interval of a share covers what half of the tasks bring, and narrows with more tasks', () => {
    // Twice 1.96 standard errors of a coin.
    expect(width(100)).toBeCloseTo(0.196, 1)
    expect(width(400)).toBeLessThan(width(100))
  })

  it('BACK-20 there is no interval where there is nothing to take a share of', () => {
    expect(shareInterval(drawTasks(3), [0, 0, 0], [0, 0, 0])).toBeUndefined()
    expect(shareInterval([], [1], [1])).toBeUndefined()
    // One task is one observation, however many others there are that say nothing.
    expect(shareInterval(drawTasks(3), [1, 0, 0], [2, 0, 0])).toBeUndefined()
  })
})
