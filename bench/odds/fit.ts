import { type Moment, type Trait, TRAITS } from '../../src/core/odds/moment.ts'
import type { KindData } from '../../src/core/odds/odds-data.ts'
import type { OddsKind } from '../../src/core/odds/odds-kind.ts'
import { similarCell } from '../../src/core/odds/similar-cell.ts'
import { boostedTrees, type Tree, type TreeOptions } from './boosted-trees.ts'
import type { MomentLoop } from './recorded-moments.ts'

/** Which way the chance may go with a trait; what is not named is free. Common sense that keeps trees from learning accidents. */
const DIRECTIONS: Partial<Record<Trait, 1 | -1>> = {
  iterationsLeft: 1,
  errorStreak: -1,
  errorCount: -1,
  sinceNewError: -1,
  errorsDifferentShare: 1,
  shapeStreak: -1,
  shapeCount: -1,
  sinceNewShape: -1,
  workStreak: -1,
  workCount: -1,
  workDifferentShare: 1,
  sinceNewWork: -1,
  workRepeats: -1,
  resultStreak: -1,
  resultCount: -1,
  resultDifferentShare: 1,
  sinceNewResult: -1,
  score: 1,
  scoreBest: 1,
  scoreMean: 1,
  scoreStep: 1,
  scoreStreak: -1,
  sinceBest: -1,
  failing: -1,
  edits: -1,
  likeness: -1,
  likenessStreak: -1,
}

const COMMON = { rate: 0.1, shrinkage: 5, binsMax: 24, rowShare: 0.5, direction: TRAITS.map((trait) => DIRECTIONS[trait] ?? 0) }

/** There are ten times as many turns as attempts, so they bear larger trees. */
const OPTIONS: Readonly<Record<OddsKind, TreeOptions>> = {
  attempts: { ...COMMON, trees: 80, depthMax: 3, leafMin: 70 },
  turns: { ...COMMON, trees: 150, depthMax: 4, leafMin: 110 },
}

/** Below this chance only what repeats itself is believed; about where one success in 200 is given up. */
const CHANCE_MIN_UNREPEATED: Readonly<Record<OddsKind, number>> = { attempts: 0.015, turns: 0.005 }

/** Beyond what so many moments have seen, nothing is known. */
const SEEN_MIN = 30

/**
 * Learns the odds of one kind. A loop that was recorded with ten iterations is also a loop with four, of which it is known whether it
 * succeeded: so every third moment is learned from twice, as it was and with fewer iterations left. Else the iterations left would tell the
 * datasets apart, and not the chances. The limits are left open: they come from loops that the fit has not seen.
 */
export function fit(kind: OddsKind, loops: readonly MomentLoop[]): KindData {
  const rows: readonly Row[] = loops.flatMap(({ isSolved, moments }) =>
    moments.flatMap((moment, index) => (moment ? [{ moment, ahead: isSolved ? moments.length - index : Infinity }] : [])),
  )
  const moments = rows.map(({ moment }) => moment)
  const learned = [...rows, ...rows.flatMap((row, index) => shortened(row, index))]
  const { base, trees } = boostedTrees(
    learned.map(({ moment }) => moment.traits),
    learned.map(({ ahead }) => Number(ahead < Infinity)),
    OPTIONS[kind],
  )
  const iterationsLeftMax = largestSeen(moments.map(({ iterationsLeft }) => iterationsLeft))
  return {
    loops: loops.length,
    moments: moments.length,
    iterationMax: largestSeen(moments.map(({ iteration }) => iteration)),
    iterationsLeftMax,
    base: rounded(base),
    trees: trees.map((tree) => wordsOf(tree, 0).join(' ')),
    similar: cellsOf(rows),
    within: Array.from({ length: iterationsLeftMax }, (_, index) => sharesWithin(rows, index + 1)),
    limits: [],
    chanceMinUnrepeated: CHANCE_MIN_UNREPEATED[kind],
  }
}

interface Row {
  readonly moment: Moment
  /** How many iterations later it succeeded; `Infinity` when it did not. */
  readonly ahead: number
}

/** Every third moment with fewer iterations left, where there are fewer: spread evenly over the rows. */
function shortened({ moment, ahead }: Row, index: number): readonly Row[] {
  if (index % ONE_IN !== 0 || moment.iterationsLeft < 2) return []
  return [withLeft({ moment, ahead }, 1 + ((index * SPREAD) % (moment.iterationsLeft - 1)))]
}

const ONE_IN = 3

/** A large prime: neighbouring rows are moments of the same loop. */
const SPREAD = 7919

function withLeft({ moment, ahead }: Row, iterationsLeft: number): Row {
  const traits = moment.traits.with(TRAITS.indexOf('iterationsLeft'), iterationsLeft)
  return { moment: { ...moment, iterationsLeft, traits }, ahead: ahead <= iterationsLeft ? ahead : Infinity }
}

function largestSeen(values: readonly number[]): number {
  const counts = Map.groupBy(values, (value) => value)
  return Math.max(0, ...[...counts].filter(([, same]) => same.length >= SEEN_MIN).map(([value]) => value))
}

/** In reading order, the left side first. */
function wordsOf(tree: Tree, node: number): readonly (string | number)[] {
  const trait = tree.feature[node] as number
  if (trait < 0) return [-1, rounded(tree.value[node] as number)]
  const sides = [tree.left[node] as number, tree.right[node] as number].flatMap((side) => wordsOf(tree, side))
  return [trait, rounded(tree.threshold[node] as number), ...sides]
}

/** A moment is similar also to those with fewer iterations left than it had. */
function cellsOf(rows: readonly Row[]): string {
  const cells = rows.flatMap((row) => {
    const lefts = Array.from({ length: row.moment.iterationsLeft }, (_, index) => index + 1)
    return [...new Set(lefts.map((left) => similarCell(withLeft(row, left).moment)))]
  })
  return [...Map.groupBy(cells, (cell) => cell)]
    .toSorted(([one], [other]) => one - other)
    .map(([cell, same]) => `${cell} ${same.length}`)
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
