import { reviewQuestion } from '../shared/questions.ts'
import type { Loop } from '../../core/loop.ts'
import { isDone, type State } from '../../core/state.ts'
import { checkKey, isPersonReview } from './effects.ts'
import { messagesIn } from '../../core/saying.ts'
import { SHARED_WORDS } from '../shared/words.ts'
import { settingsNow, type WholeSettings } from './settings.ts'

const decided = messagesIn(SHARED_WORDS)

/** Work that passes everything else waits for the person who is to review it, at the maximum too. */
export function awaitsReview(settings: WholeSettings, state: State): ReturnType<NonNullable<Loop['awaits']>> {
  const { checks } = state.current
  if (checks.some((check) => !check.passed)) return undefined
  const index = state.config.checks.findIndex((spec, at) => isPersonReview(spec) && !isDone(state, checkKey(state, at)))
  const spec = state.config.checks[index]
  if (!spec) return undefined
  const question = reviewQuestion(state, settingsNow(settings, state).goal, true)
  return {
    decision: { action: 'wait', ...decided('decided.waits-for-review'), basis: checks.map((check) => check.seq), question },
    review: { key: checkKey(state, index), name: String(spec.settings['name']) },
  }
}
