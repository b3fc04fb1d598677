import { type Moment, placeOf, TRAITS } from '../../src/guards/odds/moment.ts'
import { cellAt, SIMILAR_MIN, sortsUpTo } from '../../src/guards/odds/odds.ts'
import type { KindData, OddsKind } from '../../src/guards/odds/odds-data.ts'
import { boostedTrees, type Tree, type TreeOptions } from './boosted-trees.ts'
import type { MomentLoop } from './recorded-moments.ts'

const COMMON = { rate: 0.1, binsMax: 24, rowShare: 0.5, direction: Object.values(TRAITS) }

/** There are ten times as many turns as attempts, so they bear larger trees and need less caution. */
const OPTIONS: Readonly<Record<OddsKind, TreeOptions>> = {
  attempts: { ...COMMON, trees: 80, depthMax: 3, leafMin: 70, shrinkage: 20 },
  turns: { ...COMMON, trees: 150, depthMax: 4, leafMin: 110, shrinkage: 5 },
}

/** So low only circles are believed to be, and circles always; about where one success in 200 is given up. */
const CIRCLE_CHANCE: Readonly<Record<OddsKind, number>> = { attempts: 0.015, turns: 0.005 }

/**
 * Learns the odds of one kind, from moments that enough loops reached: what is beyond would only tell of the few loops that got
 * there. A loop that was recorded with ten iterations is also a loop with four, of which it is known whether it succeeded: so every third
 * moment is learned from twice, as it was and with fewer iterations left. Else the iterations left would tell the datasets apart, and not
 * the chances. Which chances were given to what, and the limits, are left open: they come from
 * loops that the fit has not seen.
 */
export function fit(kind: OddsKind, loops: readonly MomentLoop[]): KindData {
  const rows: readonly Row[] = loops.flatMap(({ isSolved, moments }) =>
    moments.flatMap((moment, index) => (moment ? [{ moment, ahead: isSolved ? moments.length - index : Infinity }] : [])),
  )
  const reached = stoodAt(rows, 0)
  const seen = rows.filter(({ moment }) => countAt(reached, moment) >= SIMILAR_MIN)
  const learned = [...seen, ...seen.flatMap((row, index) => shortened(row, index))]
  const { base, trees } = boostedTrees(
    learned.map(({ moment }) => moment.traits),
    learned.map(({ ahead }) => Number(ahead < Infinity)),
    OPTIONS[kind],
  )
  const stood = stoodAt(rows, FEWER_LEFT_MAX)
  const iterationsLeftMax = Math.max(...stood.map((counts) => counts.length))
  return {
    loops: loops.length,
    moments: rows.length,
    stood,
    base: rounded(base),
    trees: trees.map((tree) => wordsOf(tree, 0).join(' ')),
    similar: cellsOf(rows, stood),
    given: [],
    within: Array.from({ length: iterationsLeftMax }, (_, index) => sharesWithin(rows, index + 1)),
    limits: [],
    circleChance: CIRCLE_CHANCE[kind],
  }
}

/** A loop that had one iteration fewer left counts as having been there too: else every other maximum would be unknown ground. */
const FEWER_LEFT_MAX = 1

/** Similar moments are at the same iteration, one earlier or one later. */
const ITERATIONS_BESIDE = 1

/** By iteration and iterations left: how many loops got there. Places that too few reached are left out. */
function stoodAt(rows: readonly Row[], fewerLeftMax: number): readonly (readonly number[])[] {
  const counts: number[][] = []
  for (const { moment } of rows) {
    const at = (counts[moment.iteration - 1] ??= [])
    for (let left = 1; left <= moment.iterationsLeft + fewerLeftMax; left++) at[left - 1] = (at[left - 1] ?? 0) + 1
  }
  const enough = Array.from(counts, (at = []) => at.filter((count) => count >= SIMILAR_MIN))
  return enough.slice(0, enough.findLastIndex((at) => at.length > 0) + 1)
}

function countAt(stood: readonly (readonly number[])[], { iteration, iterationsLeft }: Moment): number {
  return stood[iteration - 1]?.[iterationsLeft - 1] ?? 0
}

interface Row {
  readonly moment: Moment
  /** How many iterations later it succeeded; `Infinity` when it did not. */
  readonly ahead: number
}

/** Every third moment with fewer iterations left, if there are fewer: spread evenly over the rows. */
function shortened({ moment, ahead }: Row, index: number): readonly Row[] {
  if (index % ONE_IN !== 0 || moment.iterationsLeft < 2) return []
  return [withLeft({ moment, ahead }, 1 + ((index * SPREAD) % (moment.iterationsLeft - 1)))]
}

const ONE_IN = 3

/** A large prime: neighbouring rows are moments of the same loop. */
const SPREAD = 7919

function withLeft({ moment, ahead }: Row, iterationsLeft: number): Row {
  const traits = moment.traits.with(placeOf('iterationsLeft'), iterationsLeft)
  return { moment: { ...moment, iterationsLeft, traits }, ahead: ahead <= iterationsLeft ? ahead : Infinity }
}

/** In reading order, the left side first. */
function wordsOf(tree: Tree, node: number): readonly (string | number)[] {
  const trait = tree.feature[node] as number
  if (trait < 0) return [-1, rounded(tree.value[node] as number)]
  const sides = [tree.left[node] as number, tree.right[node] as number].flatMap((side) => wordsOf(tree, side))
  return [trait, rounded(tree.threshold[node] as number), ...sides]
}

/**
 * For every place that enough loops reached: how many moments of each sort there are about there, in loops whose maximum was at least as
 * large, or one smaller. What repeats itself more counts for what repeats itself less, so that no run gets odds, then none, then
 * something again as it repeats itself more and more.
 */
function cellsOf(rows: readonly Row[], stood: readonly (readonly number[])[]): string {
  const cells = new Map<number, number>()
  for (const { moment } of rows) {
    const sorts = sortsUpTo(moment)
    for (let beside = -ITERATIONS_BESIDE; beside <= ITERATIONS_BESIDE; beside++) {
      const iteration = moment.iteration + beside
      const leftMax = Math.min(moment.iterationsLeft - beside + FEWER_LEFT_MAX, stood[iteration - 1]?.length ?? 0)
      for (let left = 1; left <= leftMax; left++)
        for (const sort of sorts) cells.set(cellAt(iteration, left, sort), (cells.get(cellAt(iteration, left, sort)) ?? 0) + 1)
    }
  }
  return [...cells]
    .toSorted(([one], [other]) => one - other)
    .map(([cell, count]) => `${cell} ${count}`)
    .join(' ')
}

/** Of the successes that came in so many iterations: which shares came within 1, 2, 3 …; the last is all of them. */
function sharesWithin(rows: readonly Row[], left: number): readonly number[] {
  const ahead = rows.filter((row) => row.moment.iterationsLeft >= left && row.ahead <= left).map((row) => row.ahead)
  return Array.from({ length: left }, (_, index) =>
    index === left - 1 ? 1 : rounded(ahead.filter((each) => each <= index + 1).length / Math.max(1, ahead.length)),
  )
}

function rounded(value: number): number {
  return Number(value.toFixed(4))
}
