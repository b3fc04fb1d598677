import { drawTasks, type Interval, shareInterval } from './bootstrap.ts'
import type { Policy } from './policy.ts'
import { LOOP_KINDS, type LoopKind, type ReplayableLoop } from './recorded-loop.ts'
import { replay } from './replay.ts'
import { count, emptyTally, type PolicyTally, sum, type Tally, together } from './tally.ts'
import type { GuardSpec } from '../../core/run-config.ts'

/** What one policy would have done to the loops of one dataset and kind. */
export interface BacktestRow {
  readonly policy: string
  /** `null` for all datasets of the kind together. */
  readonly dataset: string | null
  readonly kind: LoopKind
  /** Share of the iterations of failed loops that would not have been done; `null` where none failed. */
  readonly avoided: number | null
  readonly avoidedInterval: Interval | null
  /** Share of the solved loops that would have been ended before their success; `null` where none was solved. */
  readonly lost: number | null
  readonly lostInterval: Interval | null
  /** In failed loops; `null` where the source does not know what iterations cost. */
  readonly costUsdSaved: number | null
  readonly counts: BacktestCounts
  /** Where each guard ended loops, the one that did it most first. */
  readonly guards: readonly GuardStops[]
}

export interface BacktestCounts {
  readonly loops: number
  readonly tasks: number
  readonly failed: number
  readonly solved: number
  readonly iterations: number
  readonly iterationsFailed: number
  readonly iterationsAvoided: number
  readonly successesLost: number
  /** Loops that it would have ended at all, the last iteration included. */
  readonly stops: number
  /** What failed loops cost in all, of those whose cost is known, and how many they are. */
  readonly costUsdFailed: number
  readonly failedWithCost: number
}

export interface GuardStops {
  readonly guard: string
  readonly stops: number
  readonly lost: number
  /** How often at each iteration. */
  readonly byIteration: Readonly<Record<string, number>>
}

/** Takes loops one by one and keeps only sums: memory does not grow with the number of loops. */
export interface Backtest {
  add(loop: ReplayableLoop): void
  /** By kind, dataset and policy; a kind with several datasets has rows for all of them together first. Kinds are never put together. */
  rows(): readonly BacktestRow[]
}

/** Tries policies on loops that are over: each loop is folded once, and all policies are asked at each iteration. */
export function backtest(policies: readonly Policy[]): Backtest {
  const tallies = new Map<string, Tally>()
  return {
    add: (loop) => {
      const key = `${loop.kind}\n${loop.dataset}`
      const tally = tallies.get(key) ?? emptyTally(loop.dataset, loop.kind, policies.length)
      tallies.set(key, tally)
      count(tally, loop, replay(loop, policies))
    },
    rows: () =>
      LOOP_KINDS.flatMap((kind) => {
        const ofKind = [...tallies.values()]
          .filter((tally) => tally.kind === kind)
          .toSorted((one, other) => (one.dataset < other.dataset ? -1 : 1))
        const all = ofKind.length > 1 ? rowsOf(together(ofKind, policies), null, policies) : []
        return [...all, ...ofKind.flatMap((tally) => rowsOf(tally, tally.dataset, policies))]
      }),
  }
}

function rowsOf(tally: Tally, dataset: string | null, policies: readonly Policy[]): readonly BacktestRow[] {
  const draws = drawTasks(tally.tasks.size)
  return policies.map(({ name }, index) => rowOf(name, dataset, tally, tally.policies[index] as PolicyTally, draws))
}

function rowOf(
  policy: string,
  dataset: string | null,
  { kind, base, tasks, loops, solved, failed, iterations, failedWithCost }: Tally,
  done: PolicyTally,
  draws: readonly Uint32Array[],
): BacktestRow {
  const iterationsFailed = sum(base.failedIterations)
  const iterationsAvoided = sum(done.avoided)
  const successesLost = sum(done.lost)
  return {
    policy,
    dataset,
    kind,
    avoided: shareOf(iterationsAvoided, iterationsFailed),
    avoidedInterval: shareInterval(draws, done.avoided, base.failedIterations) ?? null,
    lost: shareOf(successesLost, solved),
    lostInterval: shareInterval(draws, done.lost, base.solvedLoops) ?? null,
    costUsdSaved: failedWithCost === 0 ? null : sum(done.costUsdSaved),
    counts: {
      loops,
      tasks: tasks.size,
      failed,
      solved,
      iterations,
      iterationsFailed,
      iterationsAvoided,
      successesLost,
      stops: done.stops,
      costUsdFailed: sum(base.failedCostUsd),
      failedWithCost,
    },
    guards: guardStops(done),
  }
}

function guardStops({ guards }: PolicyTally): readonly GuardStops[] {
  return [...guards]
    .map(([guard, { stops, lost, byIteration }]) => ({
      guard,
      stops,
      lost,
      byIteration: Object.fromEntries([...byIteration].toSorted(([one], [other]) => one - other)),
    }))
    .toSorted((one, other) => other.stops - one.stops || (one.guard < other.guard ? -1 : 1))
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/** Policies with a guard that learned from loops of these datasets: what they reach on the very loops they learned from flatters them. */
export interface InSample {
  readonly policies: readonly string[]
  readonly datasets: readonly string[]
}

/** The public datasets that the shipped odds were learned from. */
const LEARNED_FROM: ReadonlySet<string> = new Set(['aider-swe-bench', 'intercode', 'ldb', 'mint', 'reflexion'])

/** Which figures may rest on loops that a guard learned from; nothing where none can. */
export function inSampleOf(policies: readonly Policy[], rows: readonly BacktestRow[]): InSample | undefined {
  const learned = policies.filter(({ guards }) => guards.some(({ spec }) => isLearned(spec))).map(({ name }) => name)
  const datasets = [...new Set(rows.flatMap(({ dataset }) => dataset ?? []))].filter((dataset) => LEARNED_FROM.has(dataset))
  return learned.length === 0 || datasets.length === 0 ? undefined : { policies: learned, datasets }
}

/** What only warns ends nothing, so it moves no figure. */
function isLearned({ name, severity, parts = [] }: GuardSpec): boolean {
  return (name === 'worthContinuing' && severity === 'trip') || parts.some((part) => holdsLearned(part))
}

function holdsLearned({ name, parts = [] }: GuardSpec): boolean {
  return name === 'worthContinuing' || parts.some(holdsLearned)
}

/** A policy as a point: what it loses and what it avoids, as shares. */
export interface FrontierPoint {
  readonly lost: number
  readonly avoided: number
}

/**
 * The upper convex hull of policies, from losing nothing on: what can be had at each loss by choosing a policy, or by tossing a coin
 * between two. Doing nothing is always to be had. The points are in the order of what they lose.
 */
export function frontierOf<Point extends FrontierPoint>(points: readonly Point[]): readonly (Point | FrontierPoint)[] {
  const sorted = [{ lost: 0, avoided: 0 }, ...points].toSorted(
    (one, other) => one.lost - other.lost || other.avoided - one.avoided,
  )
  const hull: (Point | FrontierPoint)[] = []
  for (const point of sorted) {
    if (point.avoided <= (hull.at(-1)?.avoided ?? -1)) continue
    while (hull.length >= 2 && !isAbove(hull.at(-2) as FrontierPoint, hull.at(-1) as FrontierPoint, point)) hull.pop()
    hull.push(point)
  }
  return hull
}

/** Whether the middle one lies above the line between the others. */
function isAbove(left: FrontierPoint, middle: FrontierPoint, right: FrontierPoint): boolean {
  const rise = (right.avoided - left.avoided) * (middle.lost - left.lost)
  return (middle.avoided - left.avoided) * (right.lost - left.lost) > rise
}

/** What a frontier avoids at a given loss; beyond its last point as much as there. */
export function avoidedAt(frontier: readonly FrontierPoint[], lost: number): number {
  const next = frontier.findIndex((point) => point.lost > lost)
  const left = frontier.at(next === -1 ? -1 : next - 1)
  const right = next === -1 ? undefined : frontier[next]
  if (!left || next === 0) return 0
  if (!right) return left.avoided
  return left.avoided + ((right.avoided - left.avoided) * (lost - left.lost)) / (right.lost - left.lost)
}
