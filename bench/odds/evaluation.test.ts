import { expect, test } from 'vitest'
import type { Moment } from '../../src/guards/odds/moment.ts'
import type { JudgedLoop } from './cross-validated.ts'
import { limitAt } from '../../src/guards/worth-continuing.ts'
import { advantageIntervals } from './advantage.ts'
import { avoidedWithin, calibrationOf, keptAt, limitsByFold, oddsFrontier, promisePoints, withLastMoments } from './evaluation.ts'
import { givenChances } from './given-chances.ts'
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
    lastMoment: undefined,
    lastChance: undefined,
    stops: [],
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

const solvedAt = (chances: readonly number[], dataset = 'given'): readonly JudgedLoop[] =>
  chances.map((chance, index) => ({ ...loop(true, [chance], 2, `${dataset} ${index}`), dataset }))

/** So many that no promise is broken by giving up the wrong ones. */
const hopeless = (dataset = 'given'): readonly JudgedLoop[] =>
  Array.from({ length: 3000 }, (_, index) => ({ ...loop(false, [0.0001], 2, `hopeless ${dataset} ${index}`), dataset }))

const limitOf = (loops: readonly JudgedLoop[], onceIn: number): number => limitAt(limitsOf(loops), onceIn)

const rising = (count: number, step: number): readonly number[] => Array.from({ length: count }, (_, index) => step * (index + 1))

test('ODDS-13 a promise is kept with one loss more than there were, and one that so few loops cannot keep is left out', () => {
  const loops = [...solvedAt(rising(39, 0.001)), ...hopeless()]
  // Of 39 and one more, one in 10 is 4: three may be lost, so the limit is the chance of the fourth.
  expect(limitOf(loops, 10)).toBe(0.004)
  expect(limitOf(loops, 20)).toBe(0.002)
  expect(limitOf(loops, 40)).toBe(0.001)
  expect(limitOf(loops, 50)).toBe(0)
})

test('ODDS-34 a limit is never above one in so many, falls with a stricter promise, and holds for each large dataset alone', () => {
  const likely = [...solvedAt(Array.from({ length: 400 }, () => 0.9)), ...hopeless()]
  for (const onceIn of [2, 7, 20, 100, 400]) expect(limitOf(likely, onceIn)).toBe(1 / onceIn)
  const unlikely = solvedAt(rising(100, 0.0005), 'other')
  // All together may lose 24 in 20, but of the other dataset only 4; one of 99 is too small to be asked.
  expect(limitOf([...likely, ...unlikely, ...hopeless('other')], 20)).toBe(0.0025)
  expect(limitOf([...likely, ...unlikely.slice(0, 99), ...hopeless('other')], 20)).toBe(0.0125)
  const limits = limitsOf([...likely, ...unlikely, ...hopeless('other')])
  const chances = Array.from({ length: 600 }, (_, index) => limitAt(limits, index + 2))
  expect(chances.toSorted((one, other) => other - one)).toEqual(chances)
})

test('ODDS-34 of so many loops given up at most one would have succeeded', () => {
  const failed = Array.from({ length: 30 }, (_, index) => loop(false, [0.004], 2, `failed ${index}`))
  const loops = [...solvedAt(rising(200, 0.005)), ...failed]
  // Nine may be lost of 200, but two of 32 given up are one in 16: only with one of 31 the promise holds.
  expect(limitOf(loops, 20)).toBe(0.01)
  expect(limitOf(loops, 8)).toBeGreaterThan(0.01)
})

test('ODDS-13 odds and hull are drawn again together: as good as the only policy is once, twice as good is twice', () => {
  const tasks = Array.from({ length: 40 }, (_, index) => `task ${index}`)
  const failed = tasks.map((task) => ({ ...loop(false, [0.01, 0.01], 10, task), stops: [5] }))
  const solved = tasks.map((task) => ({ ...loop(true, [0.5], 2, task), stops: [undefined] }))
  // Given up after 1 of 10 iterations, where the policy waits for 5.
  expect(advantageIntervals([...failed, ...solved], [0.01])).toEqual([[9 / 5, 9 / 5]])
})

test('ODDS-13 what a promise does is measured with limits from other loops than those it is measured on', () => {
  const low = Array.from({ length: 20 }, (_, index) => loop(true, [0.01 * (index + 1)], 2, `low ${index}`, 0))
  const high = Array.from({ length: 20 }, (_, index) => loop(true, [0.5 + 0.01 * index], 2, `high ${index}`, 1))
  const limits = limitsByFold({ judged: [...low, ...high], learnedFrom: [high, low] })
  const [one] = promisePoints(low, [2], ({ fold }) => limits[fold] ?? [])
  expect(one).toMatchObject({ onceIn: 2, lost: 1, lostCount: 20, givenUpCount: 20 })
})

test('ODDS-34 a limit keeps the promise as every fit judges the loops: also the one that learned from them', () => {
  const [unseen, learned] = [0.002, 0.001].map((step) => [...solvedAt(rising(199, step)), ...hopeless()]) as [
    JudgedLoop[],
    JudgedLoop[],
  ]
  const chances = [limitsOf(unseen), limitsOf(learned), limitsOf(unseen, learned)].map((limits) => limitAt(limits, 20))
  expect(chances[0]).toBeCloseTo(0.02)
  expect(chances[1]).toBeCloseTo(0.01)
  expect(chances[2]).toBe(chances[1])
})

test('ODDS-34 a limit that one dataset asks for is right for the others too', () => {
  // Alone, 9 of the first may be lost, since 200 that failed are given up with them; below the limit of the second there are only two of these.
  const first = [
    ...solvedAt([0.001, ...rising(198, 0.0002).map((chance) => chance + 0.02)]),
    ...Array.from({ length: 200 }, (_, index) => loop(false, [index < 2 ? 0.0005 : 0.021], 2, `f ${index}`)),
  ]
  const second = [...solvedAt(rising(199, 0.0005), 'other'), ...hopeless('other')]
  const limit = limitOf([...first, ...second], 20)
  const givenUp = first.filter(({ deciding: [chance = 1] }) => chance < limit)
  expect(givenUp.filter(({ isSolved }) => isSolved).length * 20).toBeLessThanOrEqual(givenUp.length)
  expect(limitOf(first, 20)).toBeGreaterThan(0.02)
  expect(limitOf(second, 20)).toBeGreaterThan(limit)
})

test('ODDS-34 every promise is kept, even if a slightly stricter one allows far less', () => {
  // Up to one in 7 nearly all may be given up that have a chance below that; from one in 8 on hardly any.
  const solved = solvedAt([...rising(26, 0.0001), ...Array.from({ length: 174 }, (_, index) => 0.05 + 0.0001 * index)])
  const limits = limitsOf([...solved, ...hopeless()])
  expect(limitAt(limits, 7)).toBeGreaterThan(10 * limitAt(limits, 8))
  for (let onceIn = 2; onceIn <= 201; onceIn++) {
    const lost = solved.filter(({ deciding: [chance = 1] }) => chance < limitAt(limits, onceIn)).length
    expect([onceIn, lost * onceIn <= 200]).toEqual([onceIn, true])
  }
})

const point = (lostCount: number, givenUpCount: number, onceIn: number) =>
  keptAt({ onceIn, lost: 0.001, avoided: 0.5, lostInterval: [0, 0.002], avoidedInterval: [0, 1], lostCount, givenUpCount })

test('ODDS-41 a promise is broken also where too many of those given up would have succeeded', () => {
  expect(point(2, 4, 50)).toBe('no')
  expect(point(2, 12, 33)).toBe('not shown')
  expect(point(12, 488, 50)).toBe('not shown')
  expect(point(9, 488, 50)).toBe('yes')
  expect(point(0, 0, 50)).toBe('yes')
  const broken = { onceIn: 20, lost: 0.1, avoided: 0.5, avoidedInterval: [0, 1], lostCount: 30, givenUpCount: 3000 } as const
  expect(keptAt({ ...broken, lostInterval: [0.06, 0.14] })).toBe('no')
  expect(keptAt({ ...broken, lostInterval: [0.04, 0.14] })).toBe('not shown')
})

test('ODDS-41 a failed loop that could have continued is left out of the calibration, or included on request', () => {
  const loops = Array.from({ length: 10 }, (_, index) => [
    { ...loop(false, [0.5], 2, `failed ${index}`), lastMoment: moment, lastChance: 0.5 },
    loop(true, [0.5], 2, `solved ${index}`),
  ]).flat()
  expect(calibrationOf(loops)).toMatchObject({ moments: 20, calibrationError: 0 })
  const taken = calibrationOf(withLastMoments(loops))
  expect(taken.moments).toBe(30)
  expect(taken.calibrationError).toBeGreaterThan(0.1)
})

const many = (count: number, chance: number, goodEvery: number): readonly JudgedLoop[] =>
  Array.from({ length: count }, (_, index) => loop(index % goodEvery === 0, [chance], 2, `${chance} ${index}`))

test('ODDS-37 moments are parted by the chance they were given, and a higher chance never has the smaller share', () => {
  expect(givenChances([...many(400, 0.01, 100), ...many(300, 0.2, 5)])).toEqual([
    [0.105, 400, 4],
    [1, 300, 60],
  ])
  const falling = [...many(300, 0.01, 10), ...many(300, 0.02, 100), ...many(300, 0.5, 2)]
  expect(givenChances(falling)).toEqual([
    [0.26, 600, 33],
    [1, 300, 150],
  ])
})

test('ODDS-13 what the odds are compared with has not seen the loops it is asked about either', () => {
  const folds = [0, 1].flatMap((fold) =>
    Array.from({ length: 50 }, (_, index) => loop(fold === 0, [0.5], 3, `${fold} ${index}`, fold)),
  )
  // Each fold gets the other's rate, which is as wrong as can be.
  expect(calibrationOf(folds).brierGain).toBeCloseTo(1 - 0.25)
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
