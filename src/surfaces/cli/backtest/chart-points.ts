import type { BacktestRow } from '../../../evidence/backtest/backtest.ts'
import type { Interval } from '../../../evidence/backtest/bootstrap.ts'
import { frontierOf, type FrontierPoint } from '../../../evidence/backtest/frontier.ts'

/** The policies that avoid the same and lose the same: one point of the chart. */
export interface ChartPoint extends FrontierPoint {
  readonly policies: readonly string[]
  readonly isBest: boolean
  /** Where the shares lie 95 of 100 times; of policies at one point the widest. */
  readonly avoidedRange: Interval
  readonly lostRange: Interval
}

/** The points of a chart and the line of the best; no points without loops that failed and loops that were solved. */
export interface ChartPoints {
  readonly points: readonly ChartPoint[]
  readonly frontier: readonly FrontierPoint[]
}

/** Takes the rows of one kind and dataset. */
export function chartPoints(rows: readonly BacktestRow[]): ChartPoints {
  const known = rows.flatMap(({ policy, avoided, lost, avoidedInterval, lostInterval }) =>
    avoided === null || lost === null ? [] : [{ policy, avoided, lost, avoidedInterval, lostInterval }],
  )
  const frontier = frontierOf<FrontierPoint>(known)
  const places = Map.groupBy(known, ({ avoided, lost }) => `${avoided} ${lost}`)
  const points = [...places.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { avoided, lost } = first
    return [
      {
        avoided,
        lost,
        policies: group.map(({ policy }) => policy),
        isBest: frontier.some((best) => best.avoided === avoided && best.lost === lost),
        avoidedRange: around(
          avoided,
          group.map(({ avoidedInterval }) => avoidedInterval),
        ),
        lostRange: around(
          lost,
          group.map(({ lostInterval }) => lostInterval),
        ),
      },
    ]
  })
  return { points, frontier: known.length === 0 ? [] : frontier }
}

function around(share: number, intervals: readonly (Interval | null)[]): Interval {
  const bounds = intervals.flatMap((interval) => interval ?? [])
  return [Math.min(share, ...bounds), Math.max(share, ...bounds)]
}
