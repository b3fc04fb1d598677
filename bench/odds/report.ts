import type { BacktestRow } from '../../src/core/backtest/backtest.ts'
import { avoidedAt, frontierOf } from '../../src/core/backtest/frontier.ts'
import { ODDS_KINDS, type OddsKind } from '../../src/core/odds/odds-kind.ts'
import { crossValidated, FOLDS, type JudgedLoop } from './cross-validated.ts'
import { frontierSvg } from './frontier-svg.ts'
import { avoidedWithin, calibrationOf, oddsFrontier, type OddsPoint, promisePoints } from './evaluation.ts'
import { recordedMoments } from './recorded-moments.ts'

/** The losses at which frontiers are read. */
const LOSSES: Readonly<Record<OddsKind, readonly number[]>> = {
  attempts: [0.003, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03],
  turns: [0.003, 0.005, 0.01, 0.02, 0.03, 0.04],
}

/** The promises that are shown. */
const SHOWN = new Set([20, 33, 50, 100, 200])

/**
 * What the odds are worth, as Markdown: every loop is judged by a fit that has seen no loop at its task. `baselines` are the rows of the
 * policies to be measured against. The charts are SVG, one a kind.
 */
export async function oddsReport(
  folder: string,
  baselines: readonly BacktestRow[],
  say: (line: string) => void,
): Promise<{ readonly lines: readonly string[]; readonly charts: readonly { readonly kind: OddsKind; readonly svg: string }[] }> {
  const loops = await recordedMoments(folder)
  const judged = ODDS_KINDS.map((kind) => {
    const ofKind = loops.filter((loop) => loop.kind === kind)
    return { kind, loops: crossValidated(kind, ofKind, say) }
  })
  const parts = judged.flatMap(({ kind, loops: ofKind }) => partsOf(kind, ofKind, baselines))
  const lines = [
    `## The odds and \`worthContinuing\`, cross-validated by task (${FOLDS} folds)`,
    '',
    ...parts.flatMap(frontierLines),
    ...promiseLines(parts),
    ...calibrationLines(parts),
    ...aboveLines(parts),
  ]
  return { lines, charts: parts.filter(({ dataset }) => dataset === null).map(chartOf) }
}

function chartOf({ kind, frontier, baselines }: Part): { readonly kind: OddsKind; readonly svg: string } {
  const points = baselines.flatMap(({ policy, avoided, lost }) =>
    avoided === null || lost === null ? [] : [{ policy, avoided, lost }],
  )
  return { kind, svg: frontierSvg({ title: kind, lostMax: 0.05, baselines: points, hull: frontierOf(points), odds: frontier }) }
}

interface Part {
  readonly kind: OddsKind
  /** `null` for all of the kind. */
  readonly dataset: string | null
  readonly loops: readonly JudgedLoop[]
  /** All loops of the kind: where limits come from. */
  readonly all: readonly JudgedLoop[]
  readonly frontier: readonly OddsPoint[]
  readonly baselines: readonly BacktestRow[]
}

function partsOf(kind: OddsKind, all: readonly JudgedLoop[], baselines: readonly BacktestRow[]): readonly Part[] {
  const datasets = [...new Set(all.map(({ dataset }) => dataset))].toSorted()
  return [null, ...datasets].map((dataset) => {
    const loops = dataset === null ? all : all.filter((loop) => loop.dataset === dataset)
    const rows = baselines.filter((row) => row.kind === kind && row.dataset === dataset)
    return { kind, dataset, loops, all, frontier: oddsFrontier(loops), baselines: rows }
  })
}

function nameOf({ kind, dataset }: Part): string {
  return `${kind}, ${dataset ?? 'all datasets'}`
}

function frontierLines(part: Part): readonly string[] {
  const points = part.baselines.flatMap(({ avoided, lost }) => (avoided === null || lost === null ? [] : [{ avoided, lost }]))
  const hull = frontierOf(points)
  const lines = LOSSES[part.kind].map((loss) => {
    const [theirs, ours] = [avoidedAt(hull, loss), avoidedWithin(part.frontier, loss)]
    const single = points.reduce((best, { lost, avoided }) => (lost <= loss ? Math.max(best, avoided) : best), 0)
    const ratio = theirs > 0 ? `${(ours / theirs).toFixed(2)}x` : '–'
    return `| ${percent(loss)} | ${percent(single)} | ${percent(theirs)} | ${percent(ours)} | ${ratio} |`
  })
  return [
    `### Avoided at a given loss: ${nameOf(part)}`,
    '',
    '| lost | best baseline | hull of the baselines | odds | odds by hull |',
    '|--:|--:|--:|--:|--:|',
    ...lines,
    '',
  ]
}

function promiseLines(parts: readonly Part[]): readonly string[] {
  const lines = parts.flatMap((part) =>
    promisePoints(part.loops, part.all)
      .filter(({ onceIn }) => SHOWN.has(onceIn))
      .map(
        ({ onceIn, lost, lostInterval, avoided, avoidedInterval }) =>
          `| ${nameOf(part)} | 1 in ${onceIn} | ${percent(1 / onceIn)} | ${percent(lost)} | ${bounds(lostInterval)} | ${percent(avoided)} | ${bounds(avoidedInterval)} |`,
      ),
  )
  return [
    '### What `worthContinuing` does at a promise, its limits chosen on the other folds',
    '',
    '| kind, dataset | promise | may lose | lost | 95% | avoided | 95% |',
    '|---|--:|--:|--:|---|--:|---|',
    ...lines,
    '',
  ]
}

function calibrationLines(parts: readonly Part[]): readonly string[] {
  const lines = parts.map((part) => {
    const { moments, abstained, calibrationError, brier, brierGain, brierGainInterval } = calibrationOf(part.loops)
    const gain = `${brierGain.toFixed(4)} (${brierGainInterval.map((bound) => bound.toFixed(4)).join(' to ')})`
    return `| ${nameOf(part)} | ${moments} | ${abstained} | ${calibrationError.toFixed(4)} | ${brier.toFixed(4)} | ${gain} |`
  })
  return [
    '### Calibration',
    '',
    '| kind, dataset | moments | abstained | calibration error | Brier | better than the base rate by iteration (95%) |',
    '|---|--:|--:|--:|--:|---|',
    ...lines,
    '',
  ]
}

/** Baselines that avoid more than the odds do at the same loss, and whether by more than their intervals. */
function aboveLines(parts: readonly Part[]): readonly string[] {
  const lines = parts.flatMap((part) =>
    part.baselines.flatMap(({ policy, avoided, lost, avoidedInterval, lostInterval }) => {
      if (!avoided || lost === null || avoided <= avoidedWithin(part.frontier, lost)) return []
      const reached = avoidedWithin(part.frontier, lostInterval?.[1] ?? lost)
      const isBeyond = reached < (avoidedInterval?.[0] ?? avoided)
      const ours = percent(avoidedWithin(part.frontier, lost))
      return [
        `| ${nameOf(part)} | ${policy} | ${percent(lost)} (${bounds(lostInterval)}) | ${percent(avoided)} (${bounds(avoidedInterval)}) | ${ours} | ${isBeyond ? '**yes**' : 'no'} |`,
      ]
    }),
  )
  return [
    '### Baselines above the odds at their own loss',
    '',
    '| kind, dataset | baseline | lost (95%) | avoided (95%) | odds there | beyond the intervals |',
    '|---|---|--:|--:|--:|---|',
    ...lines,
    '',
  ]
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`
}

function bounds(interval: readonly number[] | null): string {
  return interval === null ? '' : interval.map((bound) => (100 * bound).toFixed(1)).join(' to ')
}
