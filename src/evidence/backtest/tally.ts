import type { LoopKind, ReplayableLoop } from './recorded-loop.ts'
import type { Policy } from './policy.ts'
import type { PolicyStop } from './replay.ts'

/** What was counted of the loops of one dataset and kind: a few numbers a task, whatever the number of loops. */
export interface Tally {
  readonly dataset: string
  readonly kind: LoopKind
  loops: number
  solved: number
  failed: number
  iterations: number
  /** Failed loops whose cost is known. */
  failedWithCost: number
  /** The place of each task in the lists below. */
  readonly tasks: Map<string, number>
  readonly base: TaskSums
  readonly policies: readonly PolicyTally[]
}

/** By task: what there was to avoid and to lose. */
export interface TaskSums {
  readonly failedIterations: number[]
  readonly solvedLoops: number[]
  readonly failedCostUsd: number[]
}

/** By task: what one policy avoided in failed loops and lost of the solved ones. */
export interface PolicyTally {
  readonly avoided: number[]
  readonly lost: number[]
  readonly costUsdSaved: number[]
  stops: number
  readonly guards: Map<string, GuardTally>
}

/** Where a guard ended loops. Guards that trip at once are all counted. */
export interface GuardTally {
  stops: number
  /** Of those, in loops that succeeded later. */
  lost: number
  readonly byIteration: Map<number, number>
}

/** Nothing was counted yet. */
export function emptyTally(dataset: string, kind: LoopKind, policies: number): Tally {
  return {
    dataset,
    kind,
    loops: 0,
    solved: 0,
    failed: 0,
    iterations: 0,
    failedWithCost: 0,
    tasks: new Map(),
    base: { failedIterations: [], solvedLoops: [], failedCostUsd: [] },
    policies: Array.from({ length: policies }, () => ({
      avoided: [],
      lost: [],
      costUsdSaved: [],
      stops: 0,
      guards: new Map<string, GuardTally>(),
    })),
  }
}

/** Counts one loop, with where each policy ended it. Changes the tally in place: there may be millions of loops. */
export function count(tally: Tally, loop: ReplayableLoop, stops: readonly (PolicyStop | undefined)[]): void {
  const { outcome, costsUsd, iterations } = loop
  const task = taskPlace(tally, loop.task)
  tally.loops++
  tally.iterations += iterations.length
  if (outcome === 'solved') {
    tally.solved++
    tally.base.solvedLoops[task] = (tally.base.solvedLoops[task] ?? 0) + 1
  }
  if (outcome === 'failed') {
    tally.failed++
    tally.base.failedIterations[task] = (tally.base.failedIterations[task] ?? 0) + iterations.length
    if (costsUsd) tally.failedWithCost++
    tally.base.failedCostUsd[task] = (tally.base.failedCostUsd[task] ?? 0) + sum(costsUsd ?? [])
  }
  for (const [index, policy] of tally.policies.entries()) {
    const stop = stops[index]
    if (stop) countStop(policy, task, loop, stop)
  }
}

function taskPlace({ tasks, base, policies }: Tally, name: string): number {
  const known = tasks.get(name)
  if (known !== undefined) return known
  const place = tasks.size
  tasks.set(name, place)
  for (const list of [...Object.values(base), ...policies.flatMap((each) => [each.avoided, each.lost, each.costUsdSaved])])
    (list as number[])[place] = 0
  return place
}

function countStop(policy: PolicyTally, task: number, loop: ReplayableLoop, { iteration, guards }: PolicyStop): void {
  const isLost = loop.outcome === 'solved' && iteration < (loop.solvedAt ?? 0)
  policy.stops++
  if (isLost) policy.lost[task] = (policy.lost[task] ?? 0) + 1
  if (loop.outcome === 'failed') {
    policy.avoided[task] = (policy.avoided[task] ?? 0) + loop.iterations.length - iteration
    policy.costUsdSaved[task] = (policy.costUsdSaved[task] ?? 0) + sum((loop.costsUsd ?? []).slice(iteration))
  }
  for (const guard of guards) {
    const known = policy.guards.get(guard) ?? { stops: 0, lost: 0, byIteration: new Map<number, number>() }
    known.stops++
    known.lost += Number(isLost)
    known.byIteration.set(iteration, (known.byIteration.get(iteration) ?? 0) + 1)
    policy.guards.set(guard, known)
  }
}

/** The datasets of one kind together; tasks of different datasets are different tasks. */
export function together(tallies: readonly Tally[], policies: readonly Policy[]): Tally {
  const [first] = tallies as [Tally]
  const all = emptyTally('', first.kind, policies.length)
  for (const tally of tallies) {
    all.loops += tally.loops
    all.solved += tally.solved
    all.failed += tally.failed
    all.iterations += tally.iterations
    all.failedWithCost += tally.failedWithCost
    for (const task of tally.tasks.keys()) all.tasks.set(`${tally.dataset}\n${task}`, all.tasks.size)
    appendAll(all.base, tally.base)
    for (const [index, policy] of tally.policies.entries()) addPolicy(all.policies[index] as PolicyTally, policy)
  }
  return all
}

function appendAll(into: TaskSums, more: TaskSums): void {
  append(into.failedIterations, more.failedIterations)
  append(into.solvedLoops, more.solvedLoops)
  append(into.failedCostUsd, more.failedCostUsd)
}

function append(list: number[], more: readonly number[]): void {
  for (const value of more) list.push(value)
}

function addPolicy(into: PolicyTally, { avoided, lost, costUsdSaved, stops, guards }: PolicyTally): void {
  append(into.avoided, avoided)
  append(into.lost, lost)
  append(into.costUsdSaved, costUsdSaved)
  into.stops += stops
  for (const [guard, each] of guards) {
    const known = into.guards.get(guard) ?? { stops: 0, lost: 0, byIteration: new Map<number, number>() }
    known.stops += each.stops
    known.lost += each.lost
    for (const [iteration, times] of each.byIteration)
      known.byIteration.set(iteration, (known.byIteration.get(iteration) ?? 0) + times)
    into.guards.set(guard, known)
  }
}

/** All of them together. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
