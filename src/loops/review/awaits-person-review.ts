import { reviewQuestion } from '../shared/questions.ts'
import type { Loop } from '../../core/loop.ts'
import type { State } from '../../core/state.ts'
import { hasAccepted } from './conclusions.ts'
import type { Contracts } from './contracts.ts'
import { isOfThisRound, isToBeReviewed, personReviewDue, reviewsIn } from './review-checks.ts'
import { goalNow } from './review-effects.ts'
import type { WholeReviewSettings } from './review-settings.ts'

/** Work that the other reviewers approve waits for the person who is to review it. */
export function awaitsPersonReview(
  settings: WholeReviewSettings,
  contracts: Contracts,
  state: State,
): ReturnType<NonNullable<Loop['awaits']>> {
  const { slices: { review } = {} } = state
  const due = personReviewDue(state)
  const isAsked = review?.assigned?.iteration === state.current.number && isToBeReviewed(state) && !review.refused
  if (!due || !isAsked || !hasAccepted(state, contracts.coderToReview) || isOfThisRound(state, review.judged)) return undefined
  const question = reviewQuestion(state, goalNow(settings, state))
  return {
    decision: {
      action: 'wait',
      message: 'The work waits for a person to review it.',
      basis: reviewsIn(state).map(({ seq }) => seq),
      // The tests come after the review here, so nothing may be said of them yet.
      question: { ...question, text: question.text.replace('Every other check passes. ', '') },
    },
    review: { key: due.key, name: due.name },
  }
}
