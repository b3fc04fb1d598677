import { effectKey, type EffectOf } from '../../core/effect.ts'
import { isBeforeSuccess, type PartSpec } from '../../core/run-config.ts'
import type { JsonObject } from '../../core/json.ts'
import type { State } from '../../core/state.ts'
import { isForUnit } from '../../core/unit.ts'
import { checksOfOthers } from './plan.ts'

/** The key of a check in the present round. */
export function checkKey({ current }: State, index: number): string {
  const role = current.checkRound === undefined ? 'check' : `check-${current.checkRound}`
  return effectKey(current.number, role, index)
}

/** Whether a check is a reviewer: an agent, or a person. */
export function isReview(spec: PartSpec): boolean {
  return spec.settings['review'] !== undefined
}

/** Whether a person is to review. */
export function isPersonReview(spec: PartSpec): boolean {
  return spec.settings['review'] === 'person'
}

/** The checks that fit, in the order they are configured in. */
export function checkEffects(state: State, isWanted: (spec: PartSpec) => boolean): readonly EffectOf<'check'>[] {
  const { number: iteration } = state.current
  const unit = unitOf(state)
  return state.config.checks.flatMap((spec, index) => {
    if (!isWanted(spec) || !isForUnit(unit, spec)) return []
    const name = String(spec.settings['name'])
    return [{ kind: 'check', key: checkKey(state, index), iteration, name, tree: state.tree?.tree ?? '' } as const]
  })
}

/** Before the first of several tasks begins, its checks are due already. */
function unitOf({ unit, config }: State): State['unit'] {
  const { tasks } = config.loop.settings
  if (unit || !Array.isArray(tasks)) return unit
  const items = tasks.map((task) => ({ settings: task as JsonObject }))
  return { id: '', index: 0, count: items.length, firstIteration: 1, otherChecks: checksOfOthers(items, 0) }
}

/** The checks that are due and are no reviews: those that run before a success only once all others passed. */
export function dueChecks(state: State): readonly EffectOf<'check'>[] {
  return tiers(state).flat()
}

/**
 * The same as stages: one after another, so that they never disturb each other. What they wrote is looked at after the last of each kind,
 * since nobody knows whether the others will follow.
 */
export function checkStages(state: State): readonly (readonly EffectOf<'check'>[])[] {
  return tiers(state).flatMap((checks) =>
    checks.map((effect, index) => [index === checks.length - 1 ? { ...effect, isLast: true as const } : effect]),
  )
}

function tiers(state: State): readonly (readonly EffectOf<'check'>[])[] {
  const first = checkEffects(state, (spec) => !isReview(spec) && !isBeforeSuccess(spec))
  const havePassed = first.every(({ key }) => state.current.checks.some((check) => check.key === key && check.passed))
  return havePassed ? [first, checkEffects(state, (spec) => !isReview(spec) && isBeforeSuccess(spec))] : [first]
}
