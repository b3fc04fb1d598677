import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { evenScale, isCrowded, stretchedScale } from './backtest-page.ts'

it.each([
  ['evenScale', evenScale],
  ['stretchedScale', stretchedScale],
])('BACK-54 %s holds every share it was made for, whiskers included, in order and within its ends', (_name, scale) => {
  const property = fc.property(
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 }),
    (shares) => {
      const { at, ticks } = scale(shares, 50, 850)
      const places = shares.toSorted((one, other) => one - other).map(at)
      const isInOrder = places.every((place, index) => index === 0 || place >= (places[index - 1] as number))
      const last = Math.max(...shares)
      // Only if nothing is cut off is the largest at or before the last mark.
      return isInOrder && at(0) === 50 && at(last) <= 850 + 1e-9 && last <= (ticks.at(-1) as number) + 1e-9
    },
  )
  expect(fc.check(property, { numRuns: 300, seed: 8 })).toMatchObject({ failed: false })
})

it('BACK-54 an axis begins at 0 and ends in a round number', () => {
  expect(evenScale([0.034], 0, 100).ticks.map((tick) => Number(tick.toFixed(3)))).toEqual([0, 0.01, 0.02, 0.03, 0.04])
  expect(stretchedScale([0.37], 0, 100).ticks).toEqual([0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4])
  expect(stretchedScale([0.4], 0, 100).at(0.1)).toBeCloseTo(50)
})

it('BACK-54 small losses have more room only if many policies would overlap', () => {
  const many = [0, 0.001, 0.002, 0.003, 0.01]
  expect([isCrowded([...many, 0.35]), isCrowded([...many, 0.02]), isCrowded([0, 0.5]), isCrowded([])]).toEqual([
    true,
    false,
    false,
    false,
  ])
})
