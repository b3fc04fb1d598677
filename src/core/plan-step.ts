import { concluded, LOOP } from './conclude.ts'
import type { Fact, Seq } from './event.ts'
import type { Loop } from './loop.ts'
import { currentItem } from './plan.ts'
import type { State } from './state.ts'
import type { Step } from './step.ts'

/** What the plan still needs before the next iteration can begin: to be on record, and its first item. */
export function planStep(loop: Loop, state: State): Step | undefined {
  const { items } = loop
  if (!state.plan) {
    if (items === undefined || items.length === 0) return undefined
    return { kind: 'record', facts: [concluded(state, LOOP, 'plan.made', { items })] }
  }
  return state.plan.index < 0 ? { kind: 'record', facts: [itemStart(state, 0)] } : undefined
}

/** What follows from a success: the next item of the plan, or the end of the run. */
export function doneFacts(state: State, message: string, because?: Seq): readonly Fact[] {
  const { plan, current } = state
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
  return concluded(state, LOOP, 'item.started', { index, item: state.plan?.items[index]?.id ?? '' })
}
