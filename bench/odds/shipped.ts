import { avoidedAt, backtest, type BacktestRow, frontierOf } from '../../src/evidence/backtest/backtest.ts'
import { builtInPolicies } from '../../src/evidence/backtest/policy.ts'
import { ODDS_KINDS, type OddsKind } from '../../src/guards/odds/odds-data.ts'
import { SHIPPED_ODDS } from '../../src/guards/odds/shipped-odds.ts'
import { baselines } from '../baselines/index.ts'
import { ownPolicies } from '../own-policies.ts'
import { recordedLoops } from '../recorded-loops.ts'
import { judgedByData, type JudgedLoop } from './cross-validated.ts'
import {
  bestWithin,
  type Calibration,
  calibrationOf,
  type Kept,
  keptAt,
  oddsFrontier,
  type PromisePoint,
  promisePoints,
} from './evaluation.ts'
import { SHOWN_PROMISES } from './limit-lines.ts'
import { recordedMoments } from './recorded-moments.ts'

/** The losses at which policies and odds are compared. */
export const SHIPPED_LOSSES: readonly number[] = [0, 0.003, 0.01, 0.02, 0.03, 0.04]

/** What the odds that ship, the defaults and every baseline do to recorded loops: nothing is fitted to them. */
export interface ShippedFigures {
  readonly loops: number
  readonly losses: readonly number[]
  readonly parts: readonly ShippedPart[]
}

/** The loops of one kind, of one dataset or (`null`) of all. */
export interface ShippedPart {
  readonly kind: string
  readonly dataset: string | null
  readonly counts: { readonly loops: number; readonly tasks: number; readonly solved: number; readonly failed: number }
  /**
   * At each of the losses: what is avoided by the odds, by the baselines' convex hull and by the best single baseline; and what the last one
   * and the odds really lose, which is at most that.
   */
  readonly avoidedAt: readonly {
    readonly lost: number
    readonly odds: number | null
    readonly oddsLost: number | null
    readonly hull: number | null
    readonly bestBaseline: number | null
    readonly bestBaselineLost: number | null
    readonly bestBaselineName: string | null
  }[]
  /** What the guard `worthContinuing` does at each promise ("at most one success in N is lost"), and whether it keeps it. */
  readonly promises: readonly (PromisePoint & { readonly kept: Kept })[]
  readonly calibration: Calibration | null
  readonly policies: readonly {
    readonly policy: string
    readonly isBaseline: boolean
    readonly lost: number | null
    readonly lostInterval: readonly number[] | null
    readonly avoided: number | null
    readonly avoidedInterval: readonly number[] | null
  }[]
}

/** Measures any folder of recorded loops with what ships. */
export async function shippedFigures(folder: string): Promise<ShippedFigures> {
  const shippedPolicies = Object.values(builtInPolicies()).map((policy) => ({ ...policy, name: `pawl ${policy.name}` }))
  const others = ownPolicies.filter(({ name }) => !shippedPolicies.some((shipped) => shipped.name === name))
  const tried = backtest([...baselines, ...shippedPolicies, ...others])
  let loops = 0
  for await (const loop of recordedLoops(folder)) {
    tried.add(loop)
    loops++
  }
  const moments = await recordedMoments(folder)
  const judged = new Map<string, readonly JudgedLoop[]>(
    ODDS_KINDS.map((kind) => [
      kind,
      judgedByData(
        kind,
        moments.filter((loop) => loop.kind === kind),
        SHIPPED_ODDS[kind],
      ),
    ]),
  )
  const groups = Map.groupBy(tried.rows(), ({ kind, dataset }) => JSON.stringify([kind, dataset]))
  const parts = [...groups.values()].map((rows) => partOf(rows, judged.get(rows[0]?.kind ?? '') ?? []))
  return { loops, losses: SHIPPED_LOSSES, parts }
}

function partOf(rows: readonly BacktestRow[], ofKind: readonly JudgedLoop[]): ShippedPart {
  const [{ kind, dataset, counts }] = rows as readonly [BacktestRow]
  const judged = ofKind.filter((loop) => dataset === null || loop.dataset === dataset)
  const names = new Set(baselines.map(({ name }) => name))
  const points = rows.flatMap(({ policy, avoided, lost }) =>
    names.has(policy) && avoided !== null ? [{ policy, avoided, lost: lost ?? 0 }] : [],
  )
  const hull = frontierOf(points)
  const frontier = judged.length === 0 ? undefined : oddsFrontier(judged)
  return {
    kind,
    dataset,
    counts: { loops: counts.loops, tasks: counts.tasks, solved: counts.solved, failed: counts.failed },
    avoidedAt: SHIPPED_LOSSES.map((lost) => {
      const odds = frontier && (bestWithin(frontier, lost) ?? { avoided: 0, lost: 0 })
      const baseline = bestWithin(points, lost)
      return {
        lost,
        odds: odds?.avoided ?? null,
        oddsLost: odds?.lost ?? null,
        hull: baseline ? avoidedAt(hull, lost) : null,
        bestBaseline: baseline?.avoided ?? null,
        bestBaselineLost: baseline?.lost ?? null,
        bestBaselineName: baseline?.policy ?? null,
      }
    }),
    promises: judged.length === 0 ? [] : promisesOf(kind as OddsKind, judged),
    calibration: judged.length === 0 ? null : calibrationOf(judged),
    policies: rows.map(({ policy, lost, lostInterval, avoided, avoidedInterval }) => ({
      policy,
      isBaseline: names.has(policy),
      lost,
      lostInterval,
      avoided,
      avoidedInterval,
    })),
  }
}

function promisesOf(kind: OddsKind, judged: readonly JudgedLoop[]): ShippedPart['promises'] {
  return promisePoints(judged, SHOWN_PROMISES, () => SHIPPED_ODDS[kind].limits).map((point) => ({
    ...point,
    kept: keptAt(point),
  }))
}

/** The figures as lines for a terminal. */
export function shippedLines({ parts }: ShippedFigures): readonly string[] {
  return parts.flatMap(({ kind, dataset, counts, avoidedAt: avoided, promises, policies }) => [
    `${kind}, ${dataset ?? 'all datasets'}: ${counts.loops} loops, ${counts.solved} solved, ${counts.failed} failed`,
    ...avoided.map(
      ({ lost, odds, hull, bestBaseline, bestBaselineName }) =>
        `  at ${percent(lost)} lost: odds ${percent(odds)}, hull ${percent(hull)}, best baseline ${percent(bestBaseline)} (${bestBaselineName ?? 'none'})`,
    ),
    ...promises.map(
      ({ onceIn, lost, avoided: saved, kept }) =>
        `  promise 1 in ${onceIn}: lost ${percent(lost)}, avoided ${percent(saved)}, kept ${kept}`,
    ),
    ...policies.map(
      ({ policy, lost, avoided: saved }) => `  ${policy.padEnd(32)} lost ${percent(lost)}, avoided ${percent(saved)}`,
    ),
    '',
  ])
}

function percent(share: number | null): string {
  return share === null ? '-' : `${(100 * share).toFixed(1)}%`
}
