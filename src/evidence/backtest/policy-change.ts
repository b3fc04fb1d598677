import { drawTasks, type Interval } from './bootstrap.ts'
import { changeInterval } from './change-interval.ts'
import type { Policy } from './policy.ts'
import { replay } from './replay.ts'
import type { ReplayableLoop } from './replayable-loop.ts'
import { count, emptyTally, type PolicyTally, type Tally } from './tally.ts'

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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
