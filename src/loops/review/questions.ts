import { attemptLines } from '../../core/failure-item.ts'
import type { Question } from '../../core/question.ts'
import { messagesIn, questionOf, type Saying } from '../../core/saying.ts'
import type { State } from '../../core/state.ts'
import { raisesOf, type Trip } from '../../core/trip.ts'
import { ABORT } from '../../core/words.ts'
import { accept, goOn, limitsOf } from '../shared/options.ts'
import { messageOf, reviewQuestion } from '../shared/questions.ts'
import { graveGuidance, REVIEW_WORDS, reviewSaying } from './words.ts'
import type { Loop } from '../../core/loop.ts'
import { goalNow, isOfThisRound, personReviewDue } from './round.ts'
import { speaksAgainst } from '../shared/proof.ts'
import type { WholeReviewSettings } from './settings.ts'

/** What to ask when the run has ended on an error: whether it is fixed. Limits that tripped meanwhile are lifted by the same answer. */
export function endedQuestion(state: State, why: Saying, trips: readonly Trip[]): Question {
  const raises = trips.flatMap(raisesOf)
  return questionOf(REVIEW_WORDS, {
    code: 'review.ended',
    text: [why, ...trips.map(messageOf), reviewSaying('review.ended.ask')],
    options: [goOn(raises, { label: reviewSaying('go-on.mended', limitsOf(raises)) }), ABORT],
    attempts: attemptLines(state),
  })
}

/**
 * What to ask if the tests pass over what a reviewer found: if it concerns security or is critical, tests say nothing about it
 * (`review.grave`); otherwise they prove nothing about this item (`review.rejected`).
 */
export function findingsQuestion(state: State, code: 'review.grave' | 'review.rejected', findings: readonly string[]): Question {
  return questionOf(REVIEW_WORDS, {
    code,
    text: [
      reviewSaying(code),
      ...findings.map((finding) => reviewSaying('review.grave.finding', { finding })),
      reviewSaying('review.grave.ask'),
    ],
    options: [
      goOn([], {
        words: REVIEW_WORDS,
        label: reviewSaying('review.grave.mend'),
        after: reviewSaying('review.grave.mend.after'),
        guidance: graveGuidance(findings),
      }),
      accept(state, { words: REVIEW_WORDS, label: reviewSaying('review.grave.accept') }),
      ABORT,
    ],
    attempts: attemptLines(state),
  })
}

/** Work that passes everything else waits for the person who is to review it, unless the proof refutes the pass: that is asked instead. */
export function awaitsPersonReview(settings: WholeReviewSettings, state: State): ReturnType<NonNullable<Loop['awaits']>> {
  const { slices: { review } = {}, current } = state
  const due = personReviewDue(state)
  const hasPassed = review?.tested?.outcome === 'passed' && isOfThisRound(state, review.tested)
  if (!due || review?.assigned?.iteration !== current.number || !hasPassed || speaksAgainst(state).length > 0) return undefined
  return {
    decision: {
      action: 'wait',
      ...messagesIn(REVIEW_WORDS)('decided.waits-for-review'),
      basis: current.checks.map(({ seq }) => seq),
      question: reviewQuestion(state, goalNow(settings, state)),
    },
    review: { key: due.key, name: due.name },
  }
}
