import { defined } from '../../core/defined.ts'
import type { Event } from '../../core/event.ts'
import type { Failure } from '../../core/failure.ts'
import { failureRank } from '../../core/failure-item.ts'
import { initialReview, LESSONS_MAX, type ReviewProgress } from './progress.ts'
import { foldsInOrder, foldWith, type LoopFold } from '../../core/loop.ts'
import { type CheckRecord, type State, withCurrent, withEffectDone, withSlice } from '../../core/state.ts'
import { planFold } from '../shared/plan.ts'
import { shortened } from '../../core/wording.ts'

/** Keeps where a review is in its plan, in the pass under way, and on its branch. */
export const reviewFold: LoopFold = foldsInOrder(
  planFold,
  foldWith({
    'role.assigned': roleAssigned,
    'plan.proposed': planProposed,
    'handoff.accepted': handoffAccepted,
    'handoff.refused': handoffRefused,
    'pass.recorded': passRecorded,
    'pass.judged': passJudged,
    'tests.judged': testsJudged,
    'lesson.learned': lessonLearned,
    'commit.created': committed,
    'workspace.observed': filesSeen,
    'proof.made': proofMade,
    'item.started': reviewOfItem,
    'run.reconfigured': reviewGoneOn,
    'guard.waived': reviewGoneOn,
    'guard.disputed': reviewGoneOn,
    'escalation.answered': reviewGoneOn,
  }),
)

/** Somebody is put to work: a new pass begins. */
function roleAssigned(state: State, event: Event<'role.assigned'>): State {
  const { seq, data } = event
  const { iteration, role, to, reason } = data
  const before = state.slices?.review ?? initialReview
  const { coder, environmentRepairs, isPlanAccepted, reworks, testFailures, lessons, plannings, hasRepaired } = before
  const { graveFindings, rejected, approved, written, hasChanges } = before
  const worker = role === 'coder' ? to : coder
  return withSlice(state, 'review', {
    assigned: { seq, iteration, role, to, reason },
    accepted: [],
    ...(worker === undefined ? {} : { coder: worker }),
    isPlanAccepted,
    reworks,
    testFailures,
    environmentRepairs: environmentRepairs + (role === 'repairer' ? 1 : 0),
    ...(role === 'planner' ? { plannings: plannedOnceMore(plannings) } : {}),
    // A repair changes nothing about what a review found.
    ...(role === 'repairer' ? defined({ graveFindings, rejected, approved, written }) : {}),
    ...defined({ hasRepaired, hasChanges }),
    lessons,
  })
}

function plannedOnceMore({ inAll, sinceAnswer } = { inAll: 0, sinceAnswer: 0 }): NonNullable<ReviewProgress['plannings']> {
  return { inAll: inAll + 1, sinceAnswer: sinceAnswer + 1 }
}

/** The planner answered. */
function planProposed(state: State, event: Event<'plan.proposed'>): State {
  const { items, trouble } = event.data
  const proposed = {
    seq: event.seq,
    ...(items === undefined ? {} : { items }),
    ...(trouble === undefined ? {} : { trouble }),
  }
  return withReview(state, (review) => ({ ...review, proposed }))
}

/** A handoff may take place. */
function handoffAccepted(state: State, event: Event<'handoff.accepted'>): State {
  const { contract, isOfPlan } = event.data
  return withReview(state, (review) => ({
    ...review,
    accepted: [...review.accepted, { contract, round: roundOf(state) }],
    ...(isOfPlan ? { isPlanAccepted: true } : {}),
  }))
}

/** A handoff may not take place: nothing more is done in this iteration. */
function handoffRefused(state: State, event: Event<'handoff.refused'>): State {
  const { contract, rule, message } = event.data
  // A plan that was given is looked at before anybody is put to work.
  const review = state.slices?.review ?? initialReview
  return withSlice(state, 'review', { ...review, refused: { seq: event.seq, contract, rule, message } })
}

/** What a pass came to is on record. */
function passRecorded(state: State, event: Event<'pass.recorded'>): State {
  return withReview(state, (review) => ({ ...review, pass: { seq: event.seq } }))
}

/** The review of a pass, and where the work goes. A pass that is reviewed again counts once. */
function passJudged(state: State, event: Event<'pass.judged'>): State {
  const { route, iteration } = event.data
  const reviews = state.current.checks.filter(({ isReview }) => isReview)
  const grave = reviews.flatMap(({ failures }) => failures.filter(isGrave))
  return withReview(state, ({ graveFindings: _judgedAnew, rejected: _before, approved: _then, ...review }) => ({
    ...review,
    ...(grave.length === 0 ? {} : { graveFindings: grave.slice(0, FINDINGS_MAX).map(findingWords) }),
    ...(route === 'APPROVE' ? approvalIn(state, reviews) : rejectionIn(state, reviews)),
    judged: { seq: event.seq, round: roundOf(state), route },
    ...(review.assigned?.role === 'repairer' ? { hasRepaired: true as const } : {}),
    reworks: counted(review.reworks, iteration, route !== 'APPROVE'),
  }))
}

function approvalIn({ tree }: State, reviews: readonly CheckRecord[]): Pick<ReviewProgress, 'approved'> {
  // An agent has not seen what tests wrote before a person's review.
  const names = reviews.filter((review) => review.tree === tree?.tree).map(({ name }) => name)
  return { approved: { tree: tree?.tree ?? '', names } }
}

function rejectionIn({ config }: State, reviews: readonly CheckRecord[]): Pick<ReviewProgress, 'rejected'> {
  const rejecting = reviews.filter(({ passed }) => !passed)
  const people = config.checks.filter(({ settings }) => settings['review'] === 'person')
  const isByPerson = rejecting.some(({ name }) => people.some(({ settings }) => settings['name'] === name))
  const findings = rejecting.flatMap(({ failures }) => failures).toSorted((one, other) => failureRank(one) - failureRank(other))
  return { rejected: { findings: findings.slice(0, FINDINGS_MAX).map(findingWords), ...(isByPerson ? { isByPerson } : {}) } }
}

/** Whether anybody worked at the item, and what tests wrote. An approval holds for files of theirs that the reviewer has seen. */
function filesSeen(state: State, { by, data }: Event<'workspace.observed'>): State {
  const { files, filesChanged, tree } = data
  if (filesChanged === 0 || state.current.number === 0) return state
  if (by.role !== 'check') return withReview(state, (review) => ({ ...review, hasChanges: true }))
  const paths = files.map(({ path }) => path)
  return withReview(state, (review) => {
    const { written = [], approved } = review
    const isKnown = filesChanged === paths.length && paths.every((path) => written.includes(path))
    return approved && isKnown ? { ...review, approved: { ...approved, tree } } : { ...review, written: paths }
  })
}

/**
 * Tests that wrote files after the approval, a formatter among them, leave a tree that no reviewer has seen. If nothing but a review
 * can vouch for it, it is reviewed and tested once more. What they write into the same files then is theirs.
 */
function proofMade(state: State, { seq, data: { level, findings } }: Event<'proof.made'>): State {
  const { slices: { review } = {}, current, tree, config } = state
  const wanted = (config.proof || undefined)?.require ?? 'reviewed'
  const isUnseen = review?.judged?.route === 'APPROVE' && review.approved?.tree !== tree?.tree
  const isFirst = current.checkRound === undefined && review?.assigned?.role === 'coder'
  if (level !== 'unproven' || findings.length > 0 || wanted !== 'reviewed' || !isUnseen || !isFirst) return state
  return withCurrent(state, { checks: [], checkRound: seq })
}

/** What the tests come to; those that run again count once. */
function testsJudged(state: State, event: Event<'tests.judged'>): State {
  const { outcome, iteration, trouble } = event.data
  return withReview(state, (review) => ({
    ...review,
    tested: { seq: event.seq, round: roundOf(state), outcome, ...(trouble === undefined ? {} : { trouble }) },
    testFailures: counted(review.testFailures, iteration, outcome === 'failed'),
  }))
}

/** A rule for later items. */
function lessonLearned(state: State, event: Event<'lesson.learned'>): State {
  const { item, rule } = event.data
  return withReview(state, (review) => ({ ...review, lessons: [...review.lessons, { item, rule }].slice(-LESSONS_MAX) }))
}

/** What was approved is committed, or what was there before any work. */
function committed(state: State, event: Event<'commit.created'>): State {
  const { key, commit, tip = commit } = event.data
  const done = withEffectDone(state, { key, kind: 'commit' }, event.seq)
  return tip === undefined ? done : withSlice(done, 'commits', { tip })
}

/** Every item is counted by itself; what was learned, and who worked last, stays. */
function reviewOfItem(state: State): State {
  return withReview(state, ({ lessons, coder }) => ({
    ...initialReview,
    lessons,
    ...(coder === undefined ? {} : { coder }),
  }))
}

/** Where a person let it continue: what failed before is no longer counted, and tests that could not run are looked at again. */
function reviewGoneOn(state: State, _event: Event, before: State): State {
  // Work that was put aside for a question of the agent only continues.
  if (before.current.asked !== undefined) return state
  if (before.question === undefined || state.question !== undefined || state.status !== 'running') return state
  return withReview(state, ({ tested, refused, ...review }) => ({
    ...review,
    // A plan that was given and refused is looked at again.
    ...(refused && review.assigned ? { refused } : {}),
    ...(tested && tested.outcome !== 'environment' ? { tested } : {}),
    // A planner that could not begin begins again; one whose plan came to nothing is asked again.
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

function findingWords({ severity = 'major', message, file, line }: Failure): string {
  const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`
  return `${severity}: ${shortened(message, FINDING_LENGTH_MAX)}${place}`
}

const FINDINGS_MAX = 10
const FINDING_LENGTH_MAX = 300

function counted(iterations: readonly number[], iteration: number, holds: boolean): readonly number[] {
  const others = iterations.filter((each) => each !== iteration)
  return holds ? [...others, iteration] : others
}

function withReview(state: State, change: (review: ReviewProgress) => ReviewProgress): State {
  const review = state.slices?.review
  return review ? withSlice(state, 'review', change(review)) : state
}
