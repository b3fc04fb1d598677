import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact, Seq } from '../../core/event.ts'
import type { JsonObject } from '../../core/json.ts'
import { foldWith, type LoopFold } from '../../core/loop.ts'
import type { ProofLevel } from '../../core/proof.ts'
import { type State, withSlice } from '../../core/state.ts'
import { beginUnit } from '../../core/unit.ts'
import { levelNow } from './proof.ts'

/** The events of a plan. */
export interface PlanEventData {
  /** What is to be brought about, item by item. */
  'plan.made': { readonly items: readonly PlanItem[] }
  'item.started': { readonly index: number; readonly item: string }
  'item.finished': {
    readonly index: number
    readonly item: string
    readonly iteration: number
    readonly tree: string
    readonly message: string
  }
}

declare global {
  namespace Pawl {
    interface LoopEvents extends PlanEventData {}
    interface LoopSlices {
      /** Where the run is in its plan. */
      readonly plan: PlanProgress
    }
  }
}

/** One of several things a run has to bring about, one after the other. */
export interface PlanItem {
  readonly id: string
  readonly goal: string
  /** Settings of the loop that hold for this item only. */
  readonly settings?: JsonObject
}

/** Where a run is in its plan. */
export interface PlanProgress {
  readonly items: readonly PlanItem[]
  /** The item under way; -1 before the first. */
  readonly index: number
  /** How far each finished item is proven, as far as proofs were made. */
  readonly proofs?: readonly ProofLevel[]
}

/** The item under way, where there is a plan. */
export function currentItem(plan: PlanProgress | undefined): PlanItem | undefined {
  return plan?.items[plan.index]
}

/** Names of checks that are for other items than this one only. */
export function checksOfOthers(items: readonly Pick<PlanItem, 'settings'>[], index: number): readonly string[] {
  const namesOf = (item: Pick<PlanItem, 'settings'> | undefined): readonly string[] =>
    (item?.settings?.['checks'] ?? []) as readonly string[]
  const own = namesOf(items[index])
  return [...new Set(items.flatMap(namesOf))].filter((name) => !own.includes(name))
}

/** Keeps where a run is in its plan. Every item is a unit of work of its own. */
export const planFold: LoopFold = foldWith({
  'plan.made': (state, { data: { items } }) => withSlice(state, 'plan', { items, index: -1 }),
  'item.started': (state, { data: { index, item } }) => {
    const plan = state.slices?.plan
    if (!plan) return state
    const { items } = plan
    const otherChecks = checksOfOthers(items, index)
    const unit = { id: item, index, count: items.length, ...(otherChecks.length === 0 ? {} : { otherChecks }) }
    const begun = beginUnit(state, unit, items[index]?.settings?.['iterationsMax'])
    const message = `Item ${index + 1} of ${items.length} has begun: ${item}.`
    return withSlice({ ...begun, message }, 'plan', { ...plan, index })
  },
  'item.finished': (state, { data: { message } }) => {
    const plan = state.slices?.plan
    const level = levelNow(state)
    if (!plan || !level) return { ...state, message }
    return withSlice({ ...state, message }, 'plan', { ...plan, proofs: [...(plan.proofs ?? []), level] })
  },
})

/**
 * The failing tests that an item of a plan leaves for later ones: all that fail failed when it began, something that failed then passes now,
 * and later items, or tasks of other runs, are open. Otherwise nothing: the last item needs them all.
 */
export function leftForLater({ config, current, baseline, unit, slices }: State): readonly string[] {
  const plan = slices?.plan
  const failed = current.checks.filter(({ passed }) => !passed)
  const areOthersOpen = config.loop.settings['areOthersOpen'] === true
  if (!plan || !unit || failed.length === 0 || (unit.index + 1 >= plan.items.length && !areOthersOpen)) return []
  const before = new Set(baseline?.failures.map(({ id }) => id))
  const failing = new Set(failed.flatMap(({ failures }) => failures.map(({ id }) => id)))
  // A check that names no tests, or has more failures than it names, says nothing of which fail.
  const areNamed = failed.every(
    ({ name, failures, counts, isReview }) =>
      !isReview && counts !== undefined && counts.failed <= failures.length && failures.every(({ id }) => id !== name),
  )
  const isBetter = [...before].some((id) => !failing.has(id))
  return areNamed && isBetter && [...failing].every((id) => before.has(id)) ? [...failing] : []
}

/** What the plan still needs before the next iteration can begin: to be on record, and its first item. */
export function planBeginning(items: readonly PlanItem[] | undefined, state: State): readonly Fact[] {
  const plan = state.slices?.plan
  if (plan) return plan.index < 0 ? [itemStart(state, 0)] : []
  return items === undefined || items.length === 0 ? [] : [concluded(state, LOOP, 'plan.made', { items })]
}

/** What follows from a success: the next item of the plan, or the end of the run. */
export function planFinish(state: State, message: string, because?: Seq): readonly Fact[] {
  const { current } = state
  const plan = state.slices?.plan
  const tree = state.tree?.tree ?? ''
  const iteration = current.number
  const item = currentItem(plan)
  if (!plan || !item) return [concluded(state, LOOP, 'run.completed', { iteration, tree, message }, because)]
  const { index } = plan
  const finished = concluded(state, LOOP, 'item.finished', { index, item: item.id, iteration, tree, message }, because)
  const isLast = index + 1 >= plan.items.length
  if (!isLast) return [finished, itemStart(state, index + 1)]
  const whole = plan.items.length === 1 ? message : `All ${plan.items.length} tasks are done. The last: ${message}`
  return [finished, concluded(state, LOOP, 'run.completed', { iteration, tree, message: whole }, because)]
}

function itemStart(state: State, index: number): Fact {
  return concluded(state, LOOP, 'item.started', { index, item: state.slices?.plan?.items[index]?.id ?? '' })
}
