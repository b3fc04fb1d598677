import { expect, test } from 'vitest'
import type { Moment } from '../../src/core/odds/moment.ts'
import type { JudgedLoop } from './cross-validated.ts'
import { avoidedWithin, calibrationOf, oddsFrontier, promisePoints } from './evaluation.ts'
import { limitsOf } from './limits-of.ts'

const moment: Moment = { kind: 'attempts', iteration: 1, iterationsLeft: 1, traits: [] }

function loop(
  isSolved: boolean,
  chances: readonly (number | undefined)[],
  iterations: number,
  task = 'one',
  fold = 0,
): JudgedLoop {
  return {
    dataset: 'given',
    kind: 'attempts',
    task,
    isSolved,
    iterations,
    fold,
    chances,
    deciding: chances,
    moments: chances.map(() => moment),
  }
}

test('ODDS-13 the frontier counts what is avoided in failed loops and lost of the solved ones, as the limit rises', () => {
  const loops = [loop(false, [0.5, 0.1, 0.05], 4), loop(false, [0.4], 2), loop(true, [0.3, 0.2], 3), loop(true, [], 1)]
  expect(oddsFrontier(loops)).toEqual([
    { lost: 0, avoided: 1 / 6 },
    { lost: 0, avoided: 2 / 6 },
    { lost: 0.5, avoided: 2 / 6 },
    { lost: 0.5, avoided: 3 / 6 },
    { lost: 0.5, avoided: 4 / 6 },
  ])
  expect(avoidedWithin(oddsFrontier(loops), 0.4)).toBe(2 / 6)
})

test('ODDS-13 a promise is kept with one loss more than there were, and one that so few loops cannot keep is left out', () => {
  const solved = Array.from({ length: 39 }, (_, index) => loop(true, [0.01 * (index + 1)], 2))
  // Of 39 and one more, one in 10 is 4: three may be lost, so the limit is the chance of the fourth.
  expect(limitsOf(solved)).toEqual([
    { onceIn: 10, chance: 0.04 },
    { onceIn: 15, chance: 0.02 },
    { onceIn: 20, chance: 0.02 },
  ])
})

test('ODDS-13 what a promise does is measured with limits from other loops than those it is measured on', () => {
  const low = Array.from({ length: 20 }, (_, index) => loop(true, [0.01 * (index + 1)], 2, `low ${index}`, 0))
  const high = Array.from({ length: 20 }, (_, index) => loop(true, [0.5 + 0.01 * index], 2, `high ${index}`, 1))
  const [one] = promisePoints(low, [...low, ...high])
  expect(one).toMatchObject({ onceIn: 10, lost: 1 })
})

test('ODDS-13 calibration is the gap between what was said and what came, and abstentions are counted apart', () => {
  const loops = Array.from({ length: 100 }, (_, index) =>
    loop(index % 4 === 0, [index % 2 === 0 ? 0.5 : 0, undefined], 3, `${index}`),
  )
  const found = calibrationOf(loops)
  expect(found).toMatchObject({ moments: 100, abstained: 100 })
  expect(found.calibrationError).toBeCloseTo(0)
  expect(found.brier).toBeCloseTo(0.125)
  expect(found.brierGain).toBeCloseTo(0.1875 - 0.125)
})
