import type { JsonObject } from '../../core/json.ts'
import type { Loop } from '../../core/loop.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { awaitsPersonReview } from './questions.ts'
import { reviewConclusions } from './conclusions.ts'
import { contractsWith, type ExtraRules, ruleNames } from './contracts.ts'
import { planBeginning, planFinish } from '../shared/plan.ts'
import { reviewFold } from './fold.ts'
import { decideReview } from './decide.ts'
import { reviewPlan, type ReviewSettings, wholeReviewSettings, type WholeReviewSettings } from './settings.ts'
import { reviewLoopEffects, reviewSeals } from './effects.ts'
import { ANY_MAP, optional, settingsSchema } from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'

export type { Contract, ContractRule, Refusal } from './contracts.ts'
export { refusalOf } from './contracts.ts'
export type { CoderHandoff, Contracts, ExtraRules, PlanHandoff, ReviewHandoff, TestHandoff } from './contracts.ts'
export { contractsWith } from './contracts.ts'
export { provenanceOf, type CoderDecision, type CoderOutput, type Provenance } from './provenance.ts'
export type { ReviewItem, ReviewSettings } from './settings.ts'
export { TASK_TYPES, taskTypeOf } from './settings.ts'
export { REWORK_LIMITS, routeRework, type ReworkCase, type ReworkLimits } from './route-rework.ts'

/**
 * A plan, given or made by a planner, done item by item by coders who take turns, with a reviewer whose wishes for rework end by themselves: at a ceiling, when the
 * coder no longer moves, or when tests prove the item. `rules` adds rules of your own to the contracts between the roles.
 *
 * @part review
 */
export function reviewLoop(settings: ReviewSettings, parts: { readonly rules?: ExtraRules } = {}): Loop {
  readOptions('reviewLoop', OPTIONS, parts)
  const { rules } = parts
  const whole = wholeReviewSettings(settings)
  const contracts = contractsWith(rules)
  const contractRules = ruleNames(rules)
  requireRules(whole.contractRules, contractRules)
  return {
    spec: { name: 'review', v: 1, settings: recorded(whole, contractRules) },
    begins: (state) => planBeginning(reviewPlan(whole.items), state),
    finishes: planFinish,
    fold: reviewFold,
    performers: () => import('./perform.ts').then(({ reviewPerformers }) => reviewPerformers),
    concludes: (state) => reviewConclusions(whole, contracts, state),
    effects: (state) => reviewLoopEffects(whole, contracts, state),
    seals: (state) => reviewSeals(whole, state),
    awaits: (state) => awaitsPersonReview(whole, state),
    decide: (state, trips) => decideReview(whole, state, trips),
  }
}

function recorded(whole: WholeReviewSettings, contractRules: readonly string[]): JsonObject {
  const { items, contractRules: _written, ...rest } = whole
  const plan = items === undefined ? {} : { items: items.map((item) => ({ ...item })) }
  return { ...rest, ...plan, ...(contractRules.length === 0 ? {} : { contractRules }) }
}

/** A run that was started with rules of a program continues only with them. */
function requireRules(recordedRules: readonly string[], given: readonly string[]): void {
  const missing = recordedRules.find((rule) => !given.includes(rule))
  if (missing === undefined) return
  throw new PawlError(
    'loop.review.rule-missing',
    `This run was started with the contract rule ${missing}, which is a function of a program: resume it with that program.`,
    { value: missing },
  )
}

const OPTIONS = settingsSchema({ rules: optional(ANY_MAP) })
