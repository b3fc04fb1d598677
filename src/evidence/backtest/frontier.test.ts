import { describe, expect, it } from 'vitest'
import { avoidedAt, frontierOf } from './backtest.ts'

const points = [
  { name: 'low', lost: 0.01, avoided: 0.3 },
  { name: 'under', lost: 0.02, avoided: 0.31 },
  { name: 'mid', lost: 0.03, avoided: 0.5 },
  { name: 'worse', lost: 0.04, avoided: 0.4 },
  { name: 'high', lost: 0.2, avoided: 0.6 },
]

describe('frontierOf', () => {
  it('BACK-22 keeps what no mixture of others beats, from doing nothing on', () => {
    expect(frontierOf(points)).toEqual([{ lost: 0, avoided: 0 }, points[0], points[2], points[4]])
    expect(frontierOf([])).toEqual([{ lost: 0, avoided: 0 }])
    expect(frontierOf([{ lost: 0, avoided: 0.2 }])).toEqual([{ lost: 0, avoided: 0.2 }])
  })

  it('BACK-22 is read between its points along the line, and beyond the last as there', () => {
    const frontier = frontierOf(points)
    expect(avoidedAt(frontier, 0.02)).toBeCloseTo(0.4)
    expect(avoidedAt(frontier, 0.005)).toBeCloseTo(0.15)
    expect(avoidedAt(frontier, 0.03)).toBeCloseTo(0.5)
    expect(avoidedAt(frontier, 0.9)).toBe(0.6)
  })
})
