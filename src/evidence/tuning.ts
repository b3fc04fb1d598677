import { guardFrom } from '../guards/guard-from.ts'
import type { GuardSpec } from '../core/run-config.ts'
import { changeInterval, drawTasks, type Interval } from './backtest/bootstrap.ts'
import { replay } from './backtest/replay.ts'
import type { ReplayableLoop } from './backtest/recorded-loop.ts'
import { count, emptyTally, type PolicyTally, sum, type Tally } from './backtest/tally.ts'
import type { Policy } from './backtest/policy.ts'

/** A threshold at which a guard may decide, by what loops that are over say. */
export interface FoundThreshold extends Pick<PolicyChange, 'lost' | 'avoided'> {
  readonly guard: string
  readonly setting: string
  readonly to: number
  readonly solved: number
  readonly failed: number
  readonly costUsdSaved: number
}

/** Looks for thresholds while loops are added one by one. */
export interface ThresholdSearch {
  add(loop: ReplayableLoop): void
  /** At most one a guard, the one that avoids most first. */
  found(): readonly FoundThreshold[]
}

/**
 * Tries every guard that only warns, or decides late, as one that decides, at each of a few thresholds beside the present guards. Taken is
 * what avoids most and, also by itself, loses no success. What to expect of it is measured honestly: the threshold is chosen on four fifths of the tasks
 * and counted on the others. Nothing is found where loops are too few, where the others lose by it, or where it may avoid nothing.
 */
export function thresholdSearch(guards: readonly GuardSpec[]): ThresholdSearch {
  const candidates = candidatesFor(guards)
  const now = guards.map((spec) => guardFrom(spec))
  const policies = [
    { name: 'now', guards: now },
    ...candidates.map(({ spec }) => ({
      name: spec.name,
      guards: [...now.filter((guard) => guard.spec.name !== spec.name), guardFrom(spec)],
    })),
    // By itself as well: a success that the present guards lose anyway must not hide that this one loses it too.
    ...candidates.map(({ spec }) => ({ name: spec.name, guards: [guardFrom(spec)] })),
  ]
  const tally = emptyTally('', 'attempts', policies.length)
  return {
    add: (loop) => count(tally, loop, replay(loop, policies)),
    found: () => {
      if (tally.solved < SOLVED_MIN || tally.failed < FAILED_MIN) return []
      const tried = candidates.map((candidate, index) => ({
        ...candidate,
        done: tally.policies[index + 1] as PolicyTally,
        alone: tally.policies[index + 1 + candidates.length] as PolicyTally,
      }))
      return [...Map.groupBy(tried, ({ spec }) => spec.name).values()]
        .flatMap((group) => foundIn(group, tally) ?? [])
        .toSorted((one, other) => gainOf(other) - gainOf(one))
    },
  }
}

/** Fewer loops than these prove nothing. */
const SOLVED_MIN = 20
const FAILED_MIN = 10

const FOLDS = 5

const THRESHOLDS: Readonly<Record<string, readonly [setting: string, values: readonly number[]]>> = {
  circuitBreaker: ['failuresMax', [2, 3, 4, 5, 6, 8]],
  sameFailure: ['repeatsMin', [2, 3, 4, 5, 6]],
  noProgress: ['iterationsMin', [2, 3, 4, 5, 6]],
  stalledDiff: ['repeatsMin', [1, 2, 3, 4]],
  emptyIterations: ['iterationsMin', [1, 2, 3, 4]],
  thrashing: ['timesMin', [3, 4, 5, 6, 7]],
  repeatedAction: ['repeatsMin', [2, 3, 4, 5, 6]],
}

interface Candidate {
  readonly spec: GuardSpec
  readonly setting: string
  readonly value: number
}

/** A guard that is configured keeps its other settings; a ladder is what somebody wanted. */
function candidatesFor(guards: readonly GuardSpec[]): readonly Candidate[] {
  const laddered = new Set(guards.flatMap(({ name, parts = [] }) => (name === 'ladder' ? parts.map((part) => part.name) : [])))
  return Object.entries(THRESHOLDS).flatMap(([name, [setting, values]]) => {
    const given = guards.find((spec) => spec.name === name)
    const present = given?.severity === 'trip' ? Number(given.settings[setting]) : Infinity
    if (laddered.has(name)) return []
    return values
      .filter((value) => value < present)
      .map((value) => ({
        spec: { name, v: 1, severity: 'trip' as const, settings: { ...given?.settings, [setting]: value } },
        setting,
        value,
      }))
  })
}

type Tried = Candidate & { readonly done: PolicyTally; readonly alone: PolicyTally }

function foundIn(group: readonly Tried[], tally: Tally): FoundThreshold | undefined {
  const [now] = tally.policies as [PolicyTally]
  const chosen = best(group, now, () => true)
  if (!chosen) return undefined
  const tasks = [...tally.tasks.values()]
  const byFold = Array.from({ length: FOLDS }, (_, fold) => best(group, now, (task) => task % FOLDS !== fold)?.done ?? now)
  const expected = (part: 'lost' | 'avoided', wholes: readonly number[]): ShareChange => {
    const after = tasks.map((task) => (byFold[task % FOLDS] as PolicyTally)[part][task] ?? 0)
    const moved = after.map((value, task) => value - (now[part][task] ?? 0))
    // A guard that decides sooner can only lose and avoid more.
    const interval = changeInterval(drawTasks(tasks.length), moved, wholes, [0, 1])
    return { of: sum(wholes), before: sum(now[part]), after: sum(after), ...(interval ? { interval } : {}) }
  }
  const lost = expected('lost', tally.base.solvedLoops)
  const avoided = expected('avoided', tally.base.failedIterations)
  if (lost.after > lost.before || !avoided.interval || avoided.interval[0] <= 0) return undefined
  const { spec, setting, value, done } = chosen
  const { solved, failed } = tally
  const costUsdSaved = sum(done.costUsdSaved) - sum(now.costUsdSaved)
  return { guard: spec.name, setting, to: value, solved, failed, costUsdSaved, lost, avoided }
}

/** What avoids most on these tasks without losing a success; of equals the one that waits longest. */
function best(group: readonly Tried[], now: PolicyTally, isCounted: (task: number) => boolean): Tried | undefined {
  const moved = (list: readonly number[], before: readonly number[]): number =>
    list.reduce((total, value, task) => total + (isCounted(task) ? value - (before[task] ?? 0) : 0), 0)
  const gains = group
    .filter(({ done, alone }) => moved(done.lost, now.lost) <= 0 && moved(alone.lost, []) === 0)
    .map((tried) => ({ tried, gain: moved(tried.done.avoided, now.avoided) }))
    .filter(({ gain }) => gain > 0)
  return gains.toSorted((one, other) => other.gain - one.gain || other.tried.value - one.tried.value)[0]?.tried
}

function gainOf({ avoided }: FoundThreshold): number {
  return avoided.after - avoided.before
}

/** What another policy would have changed in the same loops. */
export interface PolicyChange {
  readonly policy: string
  /** Of the solved loops, those ended before their success. */
  readonly lost: ShareChange
  /** Of the iterations of failed loops, those not done. */
  readonly avoided: ShareChange
}

/** A share before and after, and between which bounds the change lies 95 of 100 times, drawn by task. */
export interface ShareChange {
  readonly of: number
  readonly before: number
  readonly after: number
  readonly interval?: Interval
}

/** Compares policies with the first of them, loop by loop on the same draws of tasks. */
export interface PolicyComparison {
  add(loop: ReplayableLoop): void
  /** One for each policy but the first, in their order. */
  changes(): readonly PolicyChange[]
}

/** Begins a comparison of `others` with `now`. Loops of all kinds are taken together, so give it loops of one kind. */
export function policyComparison(now: Policy, others: readonly Policy[]): PolicyComparison {
  const policies = [now, ...others]
  const tally = emptyTally('', 'attempts', policies.length)
  return {
    add: (loop) => count(tally, loop, replay(loop, policies)),
    changes: () => others.map(({ name }, index) => changeOf(name, tally, tally.policies[index + 1] as PolicyTally)),
  }
}

function changeOf(policy: string, { base, tasks, policies }: Tally, after: PolicyTally): PolicyChange {
  const [before] = policies as [PolicyTally]
  const draws = drawTasks(tasks.size)
  return {
    policy,
    lost: shareChange(draws, base.solvedLoops, before.lost, after.lost),
    avoided: shareChange(draws, base.failedIterations, before.avoided, after.avoided),
  }
}

function shareChange(
  draws: readonly Uint32Array[],
  wholes: readonly number[],
  before: readonly number[],
  after: readonly number[],
): ShareChange {
  const moved = after.map((part, task) => part - (before[task] ?? 0))
  const all = sum(moved)
  // What changed in one direction only is not expected to change in the other; where nothing changed, either may.
  const interval = changeInterval(draws, moved, wholes, [all > 0 ? 0 : -1, all < 0 ? 0 : 1])
  return { of: sum(wholes), before: sum(before), after: sum(after), ...(interval ? { interval } : {}) }
}
