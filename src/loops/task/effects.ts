import { type Effect, effectKey } from '../../core/effect.ts'
import { type Loop, stage } from '../../core/loop.ts'
import { checkEffects, checkKey, checkStages, isPersonReview, isReview } from '../shared/checks.ts'
import { leftForLater } from '../shared/plan.ts'
import { proofEffects } from '../shared/proof.ts'
import { TEST_WRITER } from './fold.ts'
import { isForTestWriter, isWritingTests, sidesEffect, writtenTests } from './test-first.ts'
import { isDone, type State } from '../../core/state.ts'
import { reviewBrief, taskBrief, testBrief } from './brief.ts'
import { settingsNow, type WholeSettings } from './settings.ts'
import { reviewQuestion } from '../shared/questions.ts'
import { messagesIn } from '../../core/saying.ts'
import { SHARED_WORDS } from '../shared/words.ts'

/**
 * Work, then a look at what changed, then the checks one after another. Reviewers come last,
 * and only for work that passes the other checks: a review of what fails anyway is money for nothing.
 */
export function taskEffects(settings: WholeSettings, state: State): readonly Effect[] {
  const { number: iteration } = state.current
  const observe: Effect = { kind: 'observe', key: effectKey(iteration, 'observe'), iteration, by: 'agent' }
  if (iteration === 0) return stage(state, [observe], ...(settings.baseline || settings.testFirst ? checkStages(state) : []))
  const now = settingsNow(settings, state)
  const isTests = isForTestWriter(settings, state)
  const role = isTests ? TEST_WRITER : 'coder'
  const key = effectKey(iteration, role)
  if (!isDone(state, key)) {
    const texts = state.recent.at(-1)?.outputs ?? []
    const brief = isTests ? testBrief(now, state, isWritingTests(settings, state)) : taskBrief(now, state)
    return [{ kind: 'work', key, iteration, role, brief, ...(texts.length === 0 ? {} : { texts }) }]
  }
  // Asked first: what would come after it need not be put together each time.
  if (!isDone(state, observe.key)) return [observe]
  const before = stage(state, ...(isTests ? [[sidesEffect(state)]] : []), ...checkStages(state))
  const hasFailed = state.current.checks.some((check) => !check.passed) && leftForLater(state).length === 0
  const isOpen = before.length > 0 || hasFailed
  if (isOpen || isWritingTests(settings, state)) return before
  return stage(state, proofEffects(state, writtenTests(state), leftForLater(state)), ...reviews(now, state))
}

function reviews(settings: WholeSettings, state: State): readonly (readonly Effect[])[] {
  const { base } = state
  const review = { brief: reviewBrief(settings, state), ...(base === undefined ? {} : { since: base.snapshot }) }
  return checkEffects(state, (spec) => isReview(spec) && !isPersonReview(spec)).map((effect) => [{ ...effect, review }])
}

const decided = messagesIn(SHARED_WORDS)

/** Work that passes everything else waits for the person who is to review it, at the maximum too. */
export function awaitsReview(settings: WholeSettings, state: State): ReturnType<NonNullable<Loop['awaits']>> {
  const { checks } = state.current
  const hasFailed = checks.some((check) => !check.passed) && leftForLater(state).length === 0
  if (hasFailed || isWritingTests(settings, state)) return undefined
  const index = state.config.checks.findIndex((spec, at) => isPersonReview(spec) && !isDone(state, checkKey(state, at)))
  const spec = state.config.checks[index]
  if (!spec) return undefined
  const question = reviewQuestion(state, settingsNow(settings, state).goal)
  return {
    decision: { action: 'wait', ...decided('decided.waits-for-review'), basis: checks.map((check) => check.seq), question },
    review: { key: checkKey(state, index), name: String(spec.settings['name']) },
  }
}
