import { describe, expect, it } from 'vitest'
import { rateInterval } from './statistics.ts'

describe('rateInterval', () => {
  it('TUNE-2 is wide for few cases and never certain, and narrows with more', () => {
    const [low, high] = rateInterval(4, 4)
    expect(low).toBeCloseTo(0.51, 2)
    expect(high).toBe(1)
    expect(rateInterval(0, 0)).toEqual([0, 1])
    expect(rateInterval(50, 100)[0]).toBeCloseTo(0.404, 3)
    expect(rateInterval(50, 100)[1]).toBeCloseTo(0.596, 3)
  })
})
