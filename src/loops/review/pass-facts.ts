import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact, Seq } from '../../core/event.ts'
import { currentItem } from '../shared/plan.ts'
import { type ReviewProgress, SUMMARY_LENGTH_MAX } from './progress.ts'
import type { State } from '../../core/state.ts'
import { shortened } from '../../core/wording.ts'
import { type Contract, refusalOf } from './contract.ts'

/** What somebody's work came to, on record once. */
export function output(state: State, review: ReviewProgress, work: State['current']['work'][number]): Fact {
  const { role = 'coder', to = '' } = review.assigned ?? {}
  const data = {
    item: itemOf(state),
    iteration: state.current.number,
    reworkCycle: review.reworks.length,
    role,
    coder: to,
    summary: shortened(work.summary ?? '', SUMMARY_LENGTH_MAX),
    ...(work.failed ? { failed: shortened(work.failed.message, SUMMARY_LENGTH_MAX) } : {}),
  } as const
  return concluded(state, LOOP, 'pass.recorded', data, work.seq)
}

/** The handoff on record: taken over, or refused with the rule and what breaks it. */
export function handoff<Value extends object>(
  state: State,
  contract: Contract<Value>,
  value: Value,
  because?: Seq,
  more: { readonly isOfPlan?: true } = {},
): Fact {
  const { number: iteration } = state.current
  const refusal = refusalOf(contract, value)
  if (refusal) return concluded(state, LOOP, 'handoff.refused', { iteration, ...refusal }, because)
  return concluded(state, LOOP, 'handoff.accepted', { contract: contract.contract, iteration, ...more }, because)
}

/** The item under way by its name. */
export function itemOf({ slices: { plan } = {} }: State): string {
  return currentItem(plan)?.id ?? ''
}
