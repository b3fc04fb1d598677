import {
  afterTests,
  hasAccepted,
  isOfThisRound,
  isToBeReviewed,
  observeKey,
  reviewsIn,
  testOutcome,
  testsIn,
  troubleIn,
  turnIn,
} from './round.ts'
import { concluded, LOOP } from '../../core/conclude.ts'
import type { EventData } from '../../core/event-data.ts'
import type { Fact } from '../../core/event.ts'
import type { ReviewProgress, ReviewRoute } from './progress.ts'
import { isDone, type State } from '../../core/state.ts'
import { assignment, handoff, itemOf, lessonsFrom, output } from './assignment.ts'
import type { Contracts } from './contracts.ts'
import { planningConclusions } from './planning.ts'
import type { WholeReviewSettings } from './settings.ts'
import { routeRework, similarityOf } from './route-rework.ts'

/**
 * What is to be on record before the review loop continues, in the order of a pass: who works, whether they may begin, what came of it,
 * whether it may be reviewed, what the review says and teaches, what the tests come to. The first that is missing. If a person reviews,
 * the tests come first.
 */
export function reviewConclusions(settings: WholeReviewSettings, contracts: Contracts, state: State): readonly Fact[] {
  const { slices: { review } = {}, current } = state
  if (current.number === 0) return planningConclusions(settings, contracts, state)
  if (current.decision) return []
  if (review?.assigned?.iteration !== current.number) return [assignment(settings, state)]
  if (review.refused) return []
  if (review.assigned.role === 'coder' && !review.isPlanAccepted) return planHandoff(contracts, state)
  const work = current.work.at(-1)
  if (!work) return []
  if (!review.pass) return [output(state, review, work)]
  if (work.failed || !isDone(state, observeKey(state))) return []
  if (isToBeReviewed(state) && !hasAccepted(state, contracts.coderToReview)) return coderHandoff(contracts, state)
  const turn = turnIn(state)
  if (turn === 'verdict') return reviewed(settings, contracts, state, review)
  return turn === 'tester' ? testConclusions(contracts, state, review) : []
}

function planHandoff({ plannerToCoder }: Contracts, state: State): readonly Fact[] {
  const { slices: { plan } = {}, status, current } = state
  const error = current.problem?.message
  const handed = { items: plan?.items ?? [], index: plan?.index ?? 0, status, ...(error === undefined ? {} : { error }) }
  return [handoff(state, plannerToCoder, handed, undefined, { isOfPlan: true })]
}

function coderHandoff({ coderToReview }: Contracts, state: State): readonly Fact[] {
  const { slices: { plan, review } = {}, current } = state
  const work = current.work.at(-1)
  const handed = {
    items: plan?.items ?? [],
    index: plan?.index ?? 0,
    coder: review?.assigned?.to ?? '',
    summary: work?.summary ?? '',
    outputBytes: work?.saidNothing ? 0 : (work?.output?.bytes ?? 0),
    filesChanged: current.observed?.filesChanged ?? 0,
  }
  return [handoff(state, coderToReview, handed, review?.pass?.seq)]
}

/** The verdict is a new fact that points to the pass; what was learned comes before it. */
function reviewed(
  settings: WholeReviewSettings,
  { reviewToLearn }: Contracts,
  state: State,
  review: ReviewProgress,
): readonly Fact[] {
  const reviews = reviewsIn(state)
  const last = reviews.at(-1)?.seq
  const handed = reviews.map(({ name, passed, failures }) => ({
    name,
    isApproved: passed,
    notes: failures.map(({ message }) => message),
  }))
  const accepted = handoff(state, reviewToLearn, { reviews: handed }, last)
  if (accepted.type === 'handoff.refused') return [accepted]
  const item = itemOf(state)
  const iteration = state.current.number
  const lessons = lessonsFrom(reviews, review.lessons).map((rule) =>
    concluded(state, LOOP, 'lesson.learned', { item, iteration, rule }, last),
  )
  return [accepted, ...lessons, verdictFact(settings, state, review)]
}

function verdictFact(settings: WholeReviewSettings, state: State, review: ReviewProgress): Fact {
  const iteration = state.current.number
  const verdict = reviewsIn(state).every(({ passed }) => passed) ? 'approve' : 'rework'
  const before = review.reworks.filter((each) => each !== iteration).length
  const reworkCycle = before + (verdict === 'rework' ? 1 : 0)
  // Who repairs the environment is not the one whose work may have stopped moving.
  const similarity = review.assigned?.role === 'repairer' ? undefined : similarityOf(settings, state)
  const route = routeRework({ verdict, reworkCycle, similarity, limits: settings })
  const data: EventData['pass.judged'] = {
    item: itemOf(state),
    iteration,
    reworkCycle,
    verdict: VERDICTS[route],
    route,
    ...(similarity === undefined ? {} : { similarity }),
    ...(route === 'ESCALATE_CONVERGENCE' ? { convergenceDetected: true } : {}),
  }
  return concluded(state, LOOP, 'pass.judged', data, review.pass?.seq)
}

const VERDICTS: Readonly<Record<ReviewRoute, EventData['pass.judged']['verdict']>> = {
  APPROVE: 'APPROVE',
  ESCALATE_TESTING: 'ESCALATE_TESTING',
  ESCALATE_CONVERGENCE: 'ESCALATE_CONVERGENCE',
  REWORK_VIA_TESTER: 'REWORK',
  CODING: 'REWORK',
}

function testConclusions({ testerToDecide }: Contracts, state: State, review: ReviewProgress): readonly Fact[] {
  const outcome = testOutcome(state)
  if (outcome === undefined || isOfThisRound(state, review.tested)) return []
  // Tests that fail in a fresh copy have failed.
  if (outcome === 'passed' && testsIn(state).length > 0 && afterTests(state).length > 0) return []
  const results = testsIn(state).map(({ name, passed }) => ({ name, passed }))
  const trouble = state.current.problem?.message
  const route = review.judged?.route
  const handed = { results, ...(route === undefined ? {} : { route }), ...(trouble === undefined ? {} : { trouble }) }
  const because = state.current.problem?.seq ?? testsIn(state).at(-1)?.seq
  const accepted = handoff(state, testerToDecide, handed, because)
  if (accepted.type === 'handoff.refused') return [accepted]
  const data = {
    item: itemOf(state),
    iteration: state.current.number,
    outcome,
    ...(outcome === 'environment' ? { trouble: troubleIn(state) } : {}),
  }
  return [accepted, concluded(state, LOOP, 'tests.judged', data, because)]
}
