import { drawTasks, type Interval, shareInterval } from '../../src/evidence/backtest/bootstrap.ts'
import { keptBy, limitAt } from '../../src/guards/worth-continuing.ts'
import type { KindData } from '../../src/guards/odds/odds-data.ts'
import type { CrossValidated, JudgedLoop } from './cross-validated.ts'
import { limitsOf } from './limits-of.ts'

/** What giving up below one chance would have done to loops that the fit had not seen. */
export interface OddsPoint {
  readonly lost: number
  readonly avoided: number
}

/** What the guard does at one promise, its limits chosen on the other folds. */
export interface PromisePoint extends OddsPoint {
  readonly onceIn: number
  readonly lostInterval: Interval
  readonly avoidedInterval: Interval
  /** How many successes were lost, and how many loops given up, those successes among them. */
  readonly lostCount: number
  readonly givenUpCount: number
}

export interface Calibration {
  readonly moments: number
  readonly abstained: number
  /** Expected calibration error over ten bins of equal mass. */
  readonly calibrationError: number
  readonly brier: number
  /** By how much the Brier score is better than that of the base rate of each iteration in the other folds, with its interval. */
  readonly brierGain: number
  readonly brierGainInterval: Interval
}

/** All that can be had by giving up below a chance, from the lowest chance on. */
export function oddsFrontier(loops: readonly JudgedLoop[]): readonly OddsPoint[] {
  const { solved, iterationsFailed } = totals(loops)
  const steps = loops.flatMap((loop) => stepsOf(loop)).toSorted((one, other) => one.chance - other.chance)
  let lost = 0
  let avoided = 0
  return steps.flatMap((step, index) => {
    lost += step.lost
    avoided += step.avoided
    const isLast = steps[index + 1]?.chance !== step.chance
    return isLast ? [{ lost: share(lost, solved), avoided: share(avoided, iterationsFailed) }] : []
  })
}

/** The most that is avoided without losing more than this. */
export function avoidedWithin(frontier: readonly OddsPoint[], lostMax: number): number {
  return bestWithin(frontier, lostMax)?.avoided ?? 0
}

/** The point that avoids the most without losing more than this; undefined if every point loses more. */
export function bestWithin<Point extends OddsPoint>(points: readonly Point[], lostMax: number): Point | undefined {
  const within = points.filter(({ lost }) => lost <= lostMax + 1e-9)
  return within.toSorted((one, other) => other.avoided - one.avoided || one.lost - other.lost)[0]
}

export interface Step {
  readonly chance: number
  readonly lost: number
  readonly avoided: number
}

/** Where a loop is given up as the limit rises: each new lowest chance, seen from its end. */
export function stepsOf({ deciding, isSolved, iterations }: JudgedLoop): readonly Step[] {
  const lows: { readonly chance: number; readonly iteration: number }[] = []
  for (const [index, chance] of deciding.entries())
    if (chance !== undefined && chance < (lows.at(-1)?.chance ?? Infinity)) lows.push({ chance, iteration: index + 1 })
  const rising = lows.toReversed()
  if (isSolved) return rising.slice(0, 1).map(({ chance }) => ({ chance, lost: 1, avoided: 0 }))
  return rising.map(({ chance, iteration }, index) => ({
    chance,
    lost: 0,
    avoided: iterations - iteration - (index === 0 ? 0 : iterations - (rising[index - 1]?.iteration ?? 0)),
  }))
}

function totals(loops: readonly JudgedLoop[]): { readonly solved: number; readonly iterationsFailed: number } {
  return {
    solved: loops.filter(({ isSolved }) => isSolved).length,
    iterationsFailed: loops.reduce((sum, { isSolved, iterations }) => sum + (isSolved ? 0 : iterations), 0),
  }
}

/** By fold the limits that the loops of the other folds give, chosen as those that ship are: as they were judged unseen, and by the fold's own fit. */
export function limitsByFold({ judged, learnedFrom }: CrossValidated): readonly KindData['limits'][] {
  return learnedFrom.map((learned, fold) =>
    limitsOf(
      judged.filter((loop) => loop.fold !== fold),
      learned,
    ),
  )
}

/** What the guard would have done at each of these promises, with the limits that hold for a loop. */
export function promisePoints(
  loops: readonly JudgedLoop[],
  promises: readonly number[],
  limitsFor: (loop: JudgedLoop) => KindData['limits'],
): readonly PromisePoint[] {
  return promises.map((onceIn) => {
    const results = loops.map((loop) => {
      const limit = limitAt(limitsFor(loop), keptBy(loop.kind, onceIn))
      const index = loop.deciding.findIndex((chance) => chance !== undefined && chance < limit)
      return { task: loop.task, ...given(loop, index) }
    })
    return { onceIn, ...shares(results) }
  })
}

interface Given {
  readonly lost: number
  readonly solved: number
  readonly avoided: number
  readonly failed: number
  readonly givenUp: number
}

function given({ isSolved, iterations }: JudgedLoop, index: number): Given {
  const isGivenUp = index >= 0
  return {
    lost: Number(isSolved && isGivenUp),
    solved: Number(isSolved),
    avoided: isSolved || !isGivenUp ? 0 : iterations - index - 1,
    failed: isSolved ? 0 : iterations,
    givenUp: Number(isGivenUp),
  }
}

function shares(results: readonly (Given & { readonly task: string })[]): Omit<PromisePoint, 'onceIn'> {
  const tasks = [...Map.groupBy(results, ({ task }) => task).values()]
  const sums = (name: keyof Given): readonly number[] => tasks.map((loops) => loops.reduce((sum, loop) => sum + loop[name], 0))
  const [lost, solved, avoided, failed] = [sums('lost'), sums('solved'), sums('avoided'), sums('failed')]
  const draws = drawTasks(tasks.length)
  return {
    lostCount: total(lost),
    givenUpCount: total(sums('givenUp')),
    lost: share(total(lost), total(solved)),
    avoided: share(total(avoided), total(failed)),
    lostInterval: shareInterval(draws, lost, solved) ?? UNKNOWN,
    avoidedInterval: shareInterval(draws, avoided, failed) ?? UNKNOWN,
  }
}

/** Of too few tasks nothing is known. */
const UNKNOWN: Interval = [0, 1]

/** Without any success none can be lost. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/** Whether a promise held, both ways: of so many successes at most one was lost, and of so many loops given up at most one would have succeeded. */
export type Kept = 'yes' | 'not shown' | 'no'

/**
 * Broken where the interval of the lost successes lies above the promise, or where so many wrongly given up of those given up would come
 * about in fewer than one in forty cases if the promise held. Not shown where only a figure is above it.
 */
export function keptAt({ onceIn, lost, lostInterval, lostCount, givenUpCount }: PromisePoint): Kept {
  if (lostInterval[0] > 1 / onceIn || chanceOfAsMany(lostCount, givenUpCount, 1 / onceIn) < 0.025) return 'no'
  return lost > 1 / onceIn || lostCount * onceIn > givenUpCount ? 'not shown' : 'yes'
}

/** How probable it is that so many or more of a count are hit, each with the same chance. */
function chanceOfAsMany(hits: number, count: number, chance: number): number {
  let exactly = (1 - chance) ** count
  let fewer = 0
  for (let each = 0; each < hits; each++) {
    fewer += exactly
    exactly *= ((count - each) / (each + 1)) * (chance / (1 - chance))
  }
  return 1 - fewer
}

/** The same with the moments after the last iteration of failed loops that had iterations left. */
export function withLastMoments(loops: readonly JudgedLoop[]): readonly JudgedLoop[] {
  return loops.map((loop) => ({
    ...loop,
    moments: [...loop.moments, loop.lastMoment],
    chances: [...loop.chances, loop.lastChance],
  }))
}

/** How far the chances can be believed. What they are compared with has not seen the loops it is asked about either. */
export function calibrationOf(loops: readonly JudgedLoop[]): Calibration {
  const asked = loops.flatMap(({ task, fold, isSolved, chances, moments }) =>
    chances.flatMap((chance, index) =>
      moments[index] ? [{ task, fold, yes: Number(isSolved), chance, iteration: index + 1 }] : [],
    ),
  )
  const known = asked.flatMap((each) => (each.chance === undefined ? [] : [{ ...each, chance: each.chance }]))
  const rateOf = baseRates(known)
  const gains = known.map((each) => ({ task: each.task, gain: (each.yes - rateOf(each)) ** 2 - (each.yes - each.chance) ** 2 }))
  const byTask = [...Map.groupBy(gains, ({ task }) => task).values()]
  const [sums, counts] = [byTask.map((same) => total(same.map(({ gain }) => gain))), byTask.map((same) => same.length)]
  return {
    moments: known.length,
    abstained: asked.length - known.length,
    calibrationError: calibrationError(known),
    brier: mean(known.map(({ yes, chance }) => (yes - chance) ** 2)),
    brierGain: mean(gains.map(({ gain }) => gain)),
    brierGainInterval: shareInterval(drawTasks(byTask.length), sums, counts) ?? [-1, 1],
  }
}

interface Asked {
  readonly fold: number
  readonly iteration: number
  readonly yes: number
}

/** How often loops succeeded from that iteration on, in the other folds; in all if there is only one. */
function baseRates(known: readonly Asked[]): (asked: Asked) => number {
  const sums = new Map<string, { count: number; yes: number }>()
  const sumAt = (key: string): { count: number; yes: number } => sums.get(key) ?? { count: 0, yes: 0 }
  for (const { fold, iteration, yes } of known)
    for (const key of [`${iteration}`, `${iteration} ${fold}`]) {
      const { count, yes: before } = sumAt(key)
      sums.set(key, { count: count + 1, yes: before + yes })
    }
  return ({ fold, iteration }) => {
    const [all, own] = [sumAt(`${iteration}`), sumAt(`${iteration} ${fold}`)]
    return own.count === all.count ? all.yes / all.count : (all.yes - own.yes) / (all.count - own.count)
  }
}

const BINS = 10

function calibrationError(known: readonly { readonly yes: number; readonly chance: number }[]): number {
  const sorted = known.toSorted((one, other) => one.chance - other.chance)
  return Array.from({ length: BINS }, (_, bin) => {
    const part = sorted.slice(Math.floor((bin * sorted.length) / BINS), Math.floor(((bin + 1) * sorted.length) / BINS))
    const gap = mean(part.map(({ chance }) => chance)) - mean(part.map(({ yes }) => yes))
    return (Math.abs(gap) * part.length) / sorted.length
  }).reduce((sum, gap) => sum + gap, 0)
}

function mean(values: readonly number[]): number {
  return total(values) / Math.max(1, values.length)
}
