import type { Event } from './event.ts'
import type { Failure } from './failure.ts'
import { initialReview, LESSONS_MAX, type ReviewProgress } from './review-progress.ts'
import type { State } from './state.ts'
import { shortened } from './wording.ts'

/** Somebody is put to work: a new pass begins. */
export function roleAssigned(state: State, event: Event<'role.assigned'>): State {
  const { seq, data } = event
  const { iteration, role, to, reason } = data
  const before = state.review ?? initialReview
  const { coder, environmentRepairs, isPlanAccepted, reworks, testFailures, lessons, plannings, graveFindings, hasRepaired } =
    before
  const worker = role === 'coder' ? to : coder
  return {
    ...state,
    review: {
      assigned: { seq, iteration, role, to, reason },
      accepted: [],
      ...(worker === undefined ? {} : { coder: worker }),
      isPlanAccepted,
      reworks,
      testFailures,
      environmentRepairs: environmentRepairs + (role === 'repairer' ? 1 : 0),
      ...(role === 'planner' ? { plannings: plannedOnceMore(plannings) } : {}),
      // A repair changes nothing about what a review found.
      ...(role === 'repairer' && graveFindings ? { graveFindings } : {}),
      ...(hasRepaired ? { hasRepaired } : {}),
      lessons,
    },
  }
}

function plannedOnceMore({ inAll, sinceAnswer } = { inAll: 0, sinceAnswer: 0 }): NonNullable<ReviewProgress['plannings']> {
  return { inAll: inAll + 1, sinceAnswer: sinceAnswer + 1 }
}

/** The planner answered. */
export function planProposed(state: State, event: Event<'plan.proposed'>): State {
  const { items, trouble } = event.data
  const proposed = {
    seq: event.seq,
    ...(items === undefined ? {} : { items }),
    ...(trouble === undefined ? {} : { trouble }),
  }
  return within(state, (review) => ({ ...review, proposed }))
}

/** A handoff may take place. */
export function handoffAccepted(state: State, event: Event<'handoff.accepted'>): State {
  const { contract, isOfPlan } = event.data
  return within(state, (review) => ({
    ...review,
    accepted: [...review.accepted, { contract, round: roundOf(state) }],
    ...(isOfPlan ? { isPlanAccepted: true } : {}),
  }))
}

/** A handoff may not take place: nothing more is done in this iteration. */
export function handoffRefused(state: State, event: Event<'handoff.refused'>): State {
  const { contract, rule, message } = event.data
  // A plan that was given is looked at before anybody is put to work.
  const review = state.review ?? initialReview
  return { ...state, review: { ...review, refused: { seq: event.seq, contract, rule, message } } }
}

/** What a pass came to is on record. */
export function passRecorded(state: State, event: Event<'pass.recorded'>): State {
  return within(state, (review) => ({ ...review, pass: { seq: event.seq } }))
}

/** The review of a pass, and where the work goes. A pass that is reviewed again counts once. */
export function passJudged(state: State, event: Event<'pass.judged'>): State {
  const { route, iteration } = event.data
  const grave = state.current.checks.flatMap(({ isReview, failures }) => (isReview ? failures.filter(isGrave) : []))
  return within(state, ({ graveFindings: _judgedAnew, ...review }) => ({
    ...review,
    ...(grave.length === 0 ? {} : { graveFindings: grave.slice(0, GRAVE_FINDINGS_MAX).map(findingWords) }),
    judged: { seq: event.seq, round: roundOf(state), route },
    ...(review.assigned?.role === 'repairer' ? { hasRepaired: true as const } : {}),
    reworks: counted(review.reworks, iteration, route !== 'APPROVE'),
  }))
}

/** What the tests come to; those that run again count once. */
export function testsJudged(state: State, event: Event<'tests.judged'>): State {
  const { outcome, iteration, trouble } = event.data
  return within(state, (review) => ({
    ...review,
    tested: { seq: event.seq, round: roundOf(state), outcome, ...(trouble === undefined ? {} : { trouble }) },
    testFailures: counted(review.testFailures, iteration, outcome === 'failed'),
  }))
}

/** A rule for later items. */
export function lessonLearned(state: State, event: Event<'lesson.learned'>): State {
  const { item, rule } = event.data
  return within(state, (review) => ({ ...review, lessons: [...review.lessons, { item, rule }].slice(-LESSONS_MAX) }))
}

/** Every item is counted by itself; what was learned, and who worked last, stays. */
export function reviewOfItem(state: State): State {
  return within(state, ({ lessons, coder }) => ({
    ...initialReview,
    lessons,
    ...(coder === undefined ? {} : { coder }),
  }))
}

/** Where a person let it go on: what failed before is no longer counted, and tests that could not run are looked at again. */
export function reviewGoneOn(before: State, state: State): State {
  // Work that was put aside for a question of the agent only goes on.
  if (before.current.asked !== undefined) return state
  if (before.question === undefined || state.question !== undefined || state.status !== 'running') return state
  return within(state, ({ tested, refused, ...review }) => ({
    ...review,
    // A plan that was given and refused is looked at again.
    ...(refused && review.assigned ? { refused } : {}),
    ...(tested && tested.outcome !== 'environment' ? { tested } : {}),
    // A planner that could not begin begins again; one whose plan came to nothing is asked anew.
    ...(review.plannings && (refused || review.pass) ? { plannings: { ...review.plannings, sinceAnswer: 0 } } : {}),
    reworks: [],
    testFailures: [],
    environmentRepairs: 0,
  }))
}

/** The round of checks under way: another one begins when the files were changed meanwhile. */
export function roundOf({ current }: State): number {
  return current.checkRound ?? 0
}

function isGrave({ severity }: Failure): boolean {
  return severity === 'security' || severity === 'critical'
}

function findingWords({ severity = 'critical', message, file, line }: Failure): string {
  const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`
  return `${severity}: ${shortened(message, FINDING_LENGTH_MAX)}${place}`
}

const GRAVE_FINDINGS_MAX = 10
const FINDING_LENGTH_MAX = 300

function counted(iterations: readonly number[], iteration: number, holds: boolean): readonly number[] {
  const others = iterations.filter((each) => each !== iteration)
  return holds ? [...others, iteration] : others
}

function within(state: State, change: (review: ReviewProgress) => ReviewProgress): State {
  return state.review ? { ...state, review: change(state.review) } : state
}
