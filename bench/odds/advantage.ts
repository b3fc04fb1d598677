import { drawTasks, type Interval } from '../../src/evidence/backtest/bootstrap.ts'
import { avoidedAt, frontierOf, type FrontierPoint } from '../../src/evidence/backtest/backtest.ts'
import type { JudgedLoop } from './cross-validated.ts'
import { stepsOf } from './evaluation.ts'

/**
 * The intervals, at each loss, of how many times as much the odds avoid as the convex hull of the policies does. Tasks are drawn again, and
 * both are measured on the same draws: hull and odds alike are chosen again on each.
 */
export function advantageIntervals(loops: readonly JudgedLoop[], losses: readonly number[]): readonly Interval[] {
  const places = new Map([...new Set(loops.map(({ task }) => task))].map((task, place) => [task, place]))
  const policies = Array.from({ length: loops[0]?.stops.length ?? 0 }, (_, policy) => sumsOf(loops, places, policy))
  const whole = wholeOf(loops, places)
  const steps = loops
    .flatMap((loop) => stepsOf(loop).map((step) => ({ ...step, place: places.get(loop.task) as number })))
    .toSorted((one, other) => one.chance - other.chance)
  const drawn = drawTasks(places.size).map((times) => {
    const [solved, failed] = [weighed(whole.solved, times), weighed(whole.failed, times)]
    const points = policies.map(({ lost, avoided }) => ({
      lost: weighed(lost, times) / solved,
      avoided: weighed(avoided, times) / failed,
    }))
    const hull = frontierOf(points)
    const ours = bestWithin(steps, times, losses, { solved, failed })
    return losses.map((loss, index) => (ours[index] as number) / avoidedAt(hull, loss))
  })
  return losses.map((_loss, index) => middleOf(drawn.map((ratios) => ratios[index] as number)))
}

interface TaskSums {
  readonly lost: Float64Array
  readonly avoided: Float64Array
}

function sumsOf(loops: readonly JudgedLoop[], places: ReadonlyMap<string, number>, policy: number): TaskSums {
  const [lost, avoided] = [new Float64Array(places.size), new Float64Array(places.size)]
  for (const { task, isSolved, iterations, moments, stops } of loops) {
    const stop = stops[policy]
    if (stop === undefined) continue
    const place = places.get(task) as number
    if (!isSolved) avoided[place] = (avoided[place] as number) + iterations - stop
    else if (stop <= moments.length) lost[place] = (lost[place] as number) + 1
  }
  return { lost, avoided }
}

function wholeOf(loops: readonly JudgedLoop[], places: ReadonlyMap<string, number>) {
  const [solved, failed] = [new Float64Array(places.size), new Float64Array(places.size)]
  for (const { task, isSolved, iterations } of loops) {
    const place = places.get(task) as number
    if (isSolved) solved[place] = (solved[place] as number) + 1
    else failed[place] = (failed[place] as number) + iterations
  }
  return { solved, failed }
}

function weighed(sums: Float64Array, times: Uint32Array): number {
  let sum = 0
  for (let place = 0; place < sums.length; place++) sum += (sums[place] as number) * (times[place] as number)
  return sum
}

interface PlacedStep extends FrontierPoint {
  readonly chance: number
  readonly place: number
}

/** The most that is avoided within each loss, as the chance below which loops are given up rises. */
function bestWithin(
  steps: readonly PlacedStep[],
  times: Uint32Array,
  losses: readonly number[],
  { solved, failed }: { readonly solved: number; readonly failed: number },
): readonly number[] {
  const best = losses.map(() => 0)
  let [lost, avoided] = [0, 0]
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as PlacedStep
    const weight = times[step.place] as number
    lost += weight * step.lost
    avoided += weight * step.avoided
    if (steps[index + 1]?.chance === step.chance) continue
    for (let at = 0; at < losses.length; at++)
      if (lost <= (losses[at] as number) * solved + 1e-9) best[at] = Math.max(best[at] as number, avoided / failed)
  }
  return best
}

function middleOf(values: readonly number[]): Interval {
  const sorted = Float64Array.from(values).toSorted()
  return [sorted[Math.floor(0.025 * sorted.length)] ?? 0, sorted[Math.floor(0.975 * sorted.length)] ?? 0]
}
