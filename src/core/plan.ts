import type { JsonObject } from './json.ts'

/** One of several things a run has to bring about, one after the other. */
export interface PlanItem {
  readonly id: string
  readonly goal: string
  /** Settings of the loop that hold for this item only. */
  readonly settings?: JsonObject
}

/** Where a run stands in its plan. */
export interface PlanProgress {
  readonly items: readonly PlanItem[]
  /** The item under way; -1 before the first. */
  readonly index: number
  /** The number of its first iteration: attempts are counted for each item. */
  readonly firstIteration: number
}

/** The item under way, where there is a plan. */
export function currentItem(plan: PlanProgress | undefined): PlanItem | undefined {
  return plan?.items[plan.index]
}

/** Which attempt at the item under way an iteration is, counted from 1; without a plan, the iteration's own number. */
export function attemptNumber(plan: PlanProgress | undefined, iteration: number): number {
  return iteration - (plan?.firstIteration ?? 1) + 1
}
