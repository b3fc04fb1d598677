import { avoidedAt, type BacktestRow, frontierOf, type FrontierPoint } from '../../src/evidence/backtest/backtest.ts'
import type { Interval } from '../../src/evidence/backtest/bootstrap.ts'
import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { chanceLimit } from '../../src/guards/worth-continuing.ts'
import { type KindData, ODDS_KINDS, type OddsKind } from '../../src/guards/odds/odds-data.ts'
import { SHIPPED_ODDS } from '../../src/guards/odds/shipped-odds.ts'
import { advantageIntervals } from './advantage.ts'
import { crossValidated, type CrossValidated, judgedByData, type JudgedLoop, unseenDataset } from './cross-validated.ts'
import {
  avoidedWithin,
  type Calibration,
  calibrationOf,
  keptAt,
  limitsByFold,
  oddsFrontier,
  type OddsPoint,
  type PromisePoint,
  promisePoints,
  withLastMoments,
} from './evaluation.ts'
import { frontierSvg } from './frontier-svg.ts'
import { limitsOf } from './limits-of.ts'
import { percentOf, SHOWN_PROMISES } from './limit-lines.ts'
import { recordedMoments } from './recorded-moments.ts'

/** The losses at which frontiers are read. */
const LOSSES: Readonly<Record<OddsKind, readonly number[]>> = {
  attempts: [0.003, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03],
  turns: [0.003, 0.005, 0.01, 0.02, 0.03, 0.04],
}

export interface OddsReport {
  /** Markdown by the name of its place in the document. */
  readonly blocks: Readonly<
    Record<'odds' | 'ranking' | 'promises' | 'unseen' | 'calibration' | 'above' | 'aims', readonly string[]>
  >
  /** SVG, one a kind. */
  readonly charts: readonly { readonly kind: OddsKind; readonly svg: string }[]
}

/**
 * What the odds are worth: every loop is judged by a fit that has seen no loop at its task. `policies` are what they are measured against,
 * and `baselines` their rows.
 */
export async function oddsReport(
  folder: string,
  policies: readonly Policy[],
  baselines: readonly BacktestRow[],
  say: (line: string) => void,
): Promise<OddsReport> {
  const loops = await recordedMoments(folder, policies)
  const parts = ODDS_KINDS.flatMap((kind) => {
    const ofKind = loops.filter((loop) => loop.kind === kind)
    const shipped = judgedByData(kind, ofKind, SHIPPED_ODDS[kind])
    return partsOf(kind, crossValidated(kind, ofKind, say), shipped, baselines)
  })
  const whole = parts.filter(({ dataset }) => dataset === null)
  const above = parts.flatMap(aboveOf)
  return {
    blocks: {
      odds: parts.flatMap(frontierLines),
      ranking: rankingLines(whole),
      promises: promiseLines(parts),
      unseen: unseenLines(parts, say),
      calibration: calibrationLines(parts),
      above: aboveLines(above),
      aims: aimLines(whole, above),
    },
    charts: whole.map(chartOf),
  }
}

function chartOf({ kind, frontier, baselines }: Part): { readonly kind: OddsKind; readonly svg: string } {
  const points = baselines.flatMap(({ policy, avoided, lost }) =>
    avoided === null || lost === null ? [] : [{ policy, avoided, lost }],
  )
  return { kind, svg: frontierSvg({ title: kind, lostMax: 0.05, baselines: points, hull: frontierOf(points), odds: frontier }) }
}

interface Advantage {
  readonly loss: number
  readonly best: number
  readonly theirs: number
  readonly ours: number
  readonly ratio: number
  readonly interval: Interval
}

interface Part {
  readonly kind: OddsKind
  /** `null` for all of the kind. */
  readonly dataset: string | null
  readonly loops: readonly JudgedLoop[]
  /** The same loops as the odds that ship judge them, which learned from them. */
  readonly shipped: readonly JudgedLoop[]
  /** All loops of the kind. */
  readonly all: readonly JudgedLoop[]
  /** Where limits come from, by fold. */
  readonly limits: readonly KindData['limits'][]
  readonly frontier: readonly OddsPoint[]
  readonly baselines: readonly BacktestRow[]
  /** The baselines as points, if there is something to lose and to avoid. */
  readonly points: readonly FrontierPoint[]
  readonly calibration: Calibration
  readonly calibrationWithLast: Calibration
  /** At the losses at which frontiers are read: how many times as much as the hull of the baselines, with its interval. */
  readonly advantages: readonly Advantage[]
}

function partsOf(
  kind: OddsKind,
  validated: CrossValidated,
  judgedByShipped: readonly JudgedLoop[],
  baselines: readonly BacktestRow[],
): readonly Part[] {
  const { judged: all } = validated
  const limits = limitsByFold(validated)
  const datasets = [...new Set(all.map(({ dataset }) => dataset))].toSorted()
  return [null, ...datasets].map((dataset) => {
    const isOfPart = (loop: JudgedLoop): boolean => dataset === null || loop.dataset === dataset
    const loops = all.filter(isOfPart)
    const rows = baselines.filter((row) => row.kind === kind && row.dataset === dataset)
    const points = rows.flatMap(({ avoided, lost }) => (avoided === null || lost === null ? [] : [{ avoided, lost }]))
    const frontier = oddsFrontier(loops)
    const advantages = advantagesOf(kind, loops, frontier, points)
    const calibration = calibrationOf(loops)
    const calibrationWithLast = calibrationOf(withLastMoments(loops))
    const shipped = judgedByShipped.filter(isOfPart)
    return {
      kind,
      dataset,
      loops,
      shipped,
      all,
      limits,
      frontier,
      baselines: rows,
      points,
      advantages,
      calibration,
      calibrationWithLast,
    }
  })
}

function advantagesOf(
  kind: OddsKind,
  loops: readonly JudgedLoop[],
  frontier: readonly OddsPoint[],
  points: readonly FrontierPoint[],
): readonly Advantage[] {
  const hull = frontierOf(points)
  const intervals = advantageIntervals(loops, LOSSES[kind])
  return LOSSES[kind].map((loss, index) => {
    const [theirs, ours] = [avoidedAt(hull, loss), avoidedWithin(frontier, loss)]
    return { loss, ours, theirs, best: bestAt(points, loss), ratio: ours / theirs, interval: intervals[index] ?? [0, 0] }
  })
}

/** What the best single baseline avoids without losing more. */
function bestAt(points: readonly FrontierPoint[], loss: number): number {
  return points.reduce((best, { lost, avoided }) => (lost <= loss ? Math.max(best, avoided) : best), 0)
}

function nameOf({ kind, dataset }: Part): string {
  return `${kind}, ${dataset ?? 'all datasets'}`
}

function frontierLines(part: Part): readonly string[] {
  const lines = part.advantages.map(
    ({ loss, best, theirs, ours, ratio, interval }) =>
      `| ${percent(loss)} | ${percent(best)} | ${percent(theirs)} | ${percent(ours)} | ${times(ratio, interval)} |`,
  )
  return [
    `### Avoided at a given loss: ${nameOf(part)}`,
    '',
    '| lost | best baseline | hull of the baselines | odds | odds by hull (95%) |',
    '|--:|--:|--:|--:|--:|',
    ...lines,
    '',
  ]
}

/** The same loops given up in the order of the chance, and in the order of the chance for each iteration left. */
function rankingLines(parts: readonly Part[]): readonly string[] {
  const lines = parts.flatMap((part) => {
    const byValue = oddsFrontier(part.loops.map(perIterationLeft))
    return LOSSES[part.kind].map((loss) => {
      const cells = [part.frontier, byValue].map((frontier) => percent(avoidedWithin(frontier, loss)))
      return `| ${part.kind} | ${percent(loss)} | ${cells.join(' | ')} |`
    })
  })
  return ['| kind | lost | ranked by chance | ranked by chance for each iteration left |', '|---|--:|--:|--:|', ...lines]
}

function perIterationLeft(loop: JudgedLoop): JudgedLoop {
  const deciding = loop.deciding.map((chance, index) => chance && chance / (loop.moments[index]?.iterationsLeft ?? 1))
  return { ...loop, deciding }
}

function promiseLines(parts: readonly Part[]): readonly string[] {
  const lines = parts.flatMap((part) => {
    const shipped = promisePoints(part.shipped, SHOWN_PROMISES, () => SHIPPED_ODDS[part.kind].limits)
    return promisePoints(part.loops, SHOWN_PROMISES, ({ fold }) => part.limits[fold] ?? []).map((point, index) => {
      const { onceIn, lost, lostInterval, avoided, avoidedInterval } = point
      const limit = part.dataset === null ? percentOf(chanceLimit(part.kind, onceIn)) : ''
      return `| ${nameOf(part)} | 1 in ${onceIn} | ${limit} | ${percent(lost)} (${bounds(lostInterval)}) | ${wrongWords(point)} | ${keptWords(point)} | ${percent(avoided)} (${bounds(avoidedInterval)}) | ${shippedWords(shipped[index])} |`
    })
  })
  return [
    '| kind, dataset | promise | gives up below | successes lost (95%) | given up wrongly | kept | avoided (95%) | what ships, on its own loops: lost, wrongly, kept |',
    '|---|--:|--:|--:|--:|---|--:|---|',
    ...lines,
  ]
}

/** What a promise does to a dataset that neither the fit nor the limits have seen. */
function unseenLines(parts: readonly Part[], say: (line: string) => void): readonly string[] {
  const lines = parts.flatMap((part) => {
    if (part.dataset === null) return []
    say(`${nameOf(part)}: unseen`)
    const { judged, others } = unseenDataset(part.kind, part.all, part.dataset, () => {})
    const limits = limitsOf(...others)
    return promisePoints(judged, UNSEEN_PROMISES, () => limits).map((point) => {
      const { onceIn, lost, lostInterval, avoided } = point
      return `| ${nameOf(part)} | 1 in ${onceIn} | ${percent(lost)} (${bounds(lostInterval)}) | ${wrongWords(point)} | ${keptWords(point)} | ${percent(avoided)} |`
    })
  })
  const head = '| kind, dataset | promise | successes lost (95%) | given up wrongly | kept | avoided |'
  return [head, '|---|--:|--:|--:|---|--:|', ...lines]
}

const UNSEEN_PROMISES: readonly number[] = [20, 50, 100, 200]

function keptWords(point: PromisePoint): string {
  const kept = keptAt(point)
  return kept === 'no' ? '**no**' : kept
}

function wrongWords({ lostCount, givenUpCount }: PromisePoint): string {
  return givenUpCount === 0 ? '–' : `${lostCount} of ${givenUpCount}`
}

function shippedWords(point: PromisePoint | undefined): string {
  return point ? `${percent(point.lost)}, ${wrongWords(point)}, ${keptWords(point)}` : ''
}

function calibrationLines(parts: readonly Part[]): readonly string[] {
  const lines = parts.map((part) => {
    const { moments, abstained, calibrationError, brier } = part.calibration
    const withLast = part.calibrationWithLast
    return `| ${nameOf(part)} | ${moments} | ${abstained} | ${calibrationError.toFixed(4)} | ${brier.toFixed(4)} | ${gainWords(part.calibration)} | ${withLast.moments - moments} | ${withLast.calibrationError.toFixed(4)} |`
  })
  return [
    '| kind, dataset | moments | abstained | calibration error | Brier | better than the base rate by iteration (95%) | last moments left out | calibration error with these |',
    '|---|--:|--:|--:|--:|---|--:|--:|',
    ...lines,
  ]
}

function gainWords({ brierGain, brierGainInterval }: Calibration): string {
  return `${brierGain.toFixed(4)} (${brierGainInterval.map((bound) => bound.toFixed(4)).join(' to ')})`
}

/** A baseline that avoids more than the odds do at the same loss. */
interface Above {
  readonly part: Part
  readonly row: BacktestRow
  readonly ours: number
  /** By more than its interval: at its own loss the odds avoid less than the lower end of what it avoids. */
  readonly isBeyond: boolean
}

function aboveOf(part: Part): readonly Above[] {
  return part.baselines.flatMap((row) => {
    const { avoided, lost, avoidedInterval } = row
    if (!avoided || lost === null) return []
    const ours = avoidedWithin(part.frontier, lost)
    return avoided <= ours ? [] : [{ part, row, ours, isBeyond: ours < (avoidedInterval?.[0] ?? avoided) }]
  })
}

function aboveLines(above: readonly Above[]): readonly string[] {
  const lines = above.map(({ part, row, ours, isBeyond }) => {
    const [lost, avoided] = [
      `${percent(row.lost ?? 0)} (${bounds(row.lostInterval)})`,
      `${percent(row.avoided ?? 0)} (${bounds(row.avoidedInterval)})`,
    ]
    return `| ${nameOf(part)} | ${row.policy} | ${lost} | ${avoided} | ${percent(ours)} | ${isBeyond ? '**yes**' : 'no'} |`
  })
  return [
    '| kind, dataset | baseline | lost (95%) | avoided (95%) | odds there | beyond its interval |',
    '|---|---|--:|--:|--:|---|',
    ...lines,
  ]
}

/** The aims of the work, and what was measured of each. */
function aimLines(whole: readonly Part[], above: readonly Above[]): readonly string[] {
  const [attempts, turns] = ODDS_KINDS.map((kind) => whole.find((part) => part.kind === kind) as Part) as [Part, Part]
  const ratios = turns.advantages.filter(({ loss }) => loss >= 0.01)
  const below = Array.from({ length: 28 }, (_, index) => (index + 3) / 1000).flatMap((loss) => {
    const [ours, best] = [avoidedWithin(attempts.frontier, loss), bestAt(attempts.points, loss)]
    return ours < best ? [`at ${percent(loss)} ${percent(ours)}, the best ${percent(best)}`] : []
  })
  const beyond = above.filter(({ isBeyond }) => isBeyond)
  const rows: readonly (readonly [aim: string, isReached: boolean, words: string])[] = [
    [
      'turns: at 1, 2, 3 and 4% lost avoid at least 1.2 times what the convex hull of the baselines avoids',
      ratios.every(({ ratio }) => ratio >= 1.2),
      ratios.map(({ ratio, interval }) => times(ratio, interval)).join(', '),
    ],
    [
      'attempts: at every tenth of a percent from 0.3% to 3% lost avoid at least what the best single baseline avoids',
      below.length === 0,
      below.length === 0 ? 'at all of them' : `not everywhere: ${below.join('; ')}`,
    ],
    [
      'calibration error at most 0.03 for each kind',
      whole.every(({ calibration }) => calibration.calibrationError <= 0.03),
      whole.map(({ kind, calibration }) => `${kind} ${calibration.calibrationError.toFixed(4)}`).join(', '),
    ],
    [
      'Brier score better than the base rate by iteration, its interval above zero',
      whole.every(({ calibration }) => calibration.brierGainInterval[0] > 0),
      whole.map(({ kind, calibration }) => `${kind} ${gainWords(calibration)}`).join(', '),
    ],
    [
      'on no dataset below a baseline by more than its interval',
      beyond.length === 0,
      beyond.length === 0 ? 'nowhere' : beyond.map(({ part, row }) => `${nameOf(part)}: ${row.policy}`).join('; '),
    ],
  ]
  const lines = rows.map(([aim, isReached, words]) => `| ${aim} | ${isReached ? 'yes' : '**no**'} | ${words} |`)
  return ['| aim, on this half | reached | measured |', '|---|---|---|', ...lines]
}

function times(ratio: number, interval: Interval): string {
  return Number.isFinite(ratio) ? `${ratio.toFixed(2)}x (${interval.map((bound) => bound.toFixed(2)).join(' to ')})` : '–'
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`
}

function bounds(interval: readonly number[] | null): string {
  return interval === null ? '' : interval.map((bound) => (100 * bound).toFixed(1)).join(' to ')
}
