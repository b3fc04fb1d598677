import { reviewQuestion } from '../shared/questions.ts'
import type { Loop } from '../../core/loop.ts'
import { isDone, type State } from '../../core/state.ts'
import { checkKey, isPersonReview } from './effects.ts'
import { settingsNow, type WholeSettings } from './settings.ts'

/** Work that passes everything else waits for the person who is to review it, at the maximum too. */
export function awaitsReview(settings: WholeSettings, state: State): ReturnType<NonNullable<Loop['awaits']>> {
  const { checks } = state.current
  if (checks.some((check) => !check.passed)) return undefined
  const index = state.config.checks.findIndex((spec, at) => isPersonReview(spec) && !isDone(state, checkKey(state, at)))
  const spec = state.config.checks[index]
  if (!spec) return undefined
  const question = reviewQuestion(state, settingsNow(settings, state).goal)
  const message = 'Every other check passed on this tree: waiting for a review.'
  return {
    decision: { action: 'wait', message, basis: checks.map((check) => check.seq), question },
    review: { key: checkKey(state, index), name: String(spec.settings['name']) },
  }
}
