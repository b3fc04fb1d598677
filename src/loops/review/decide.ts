import type { Decision } from '../../core/step.ts'
import { type Message, messagesIn } from '../../core/saying.ts'
import { attemptsQuestion, disputedQuestion, problemMessage, problemQuestion, trippedBy } from '../shared/questions.ts'
import { feedbackFrom } from '../shared/feedback.ts'
import type { ReviewProgress } from './progress.ts'
import type { State } from '../../core/state.ts'
import { guardsIn, type Trip } from '../../core/trip.ts'
import { isPersonReview } from '../shared/checks.ts'
import { isTesterProblem, reviewsIn, testEffects, testsIn } from './round.ts'
import { endedQuestion, graveQuestion } from './questions.ts'
import type { WholeReviewSettings } from './settings.ts'
import { REVIEW_WORDS } from './words.ts'

const decided = messagesIn(REVIEW_WORDS)

/** What stands in the way, then what may not be handed on, then success, then repairs and limits, then another pass. */
export function decideReview(settings: WholeReviewSettings, state: State, trips: readonly Trip[]): Decision {
  const { slices: { review } = {}, current } = state
  return (
    whenProblem(settings, state) ??
    whenRefused(state, review?.refused, trips) ??
    whenFailed(state, current.work.at(-1), trips) ??
    whenPassed(settings, state, trips) ??
    whenBroken(settings, state, trips) ??
    onceMore(settings, state)
  )
}

/** An environment in which the tests cannot run may be repaired, else a person is asked; an agent or reviewer that cannot work ends the run. */
function whenProblem(settings: WholeReviewSettings, state: State): Decision | undefined {
  const { problem } = state.current
  if (!problem) return undefined
  const basis = [problem.seq]
  const told = problemMessage(problem)
  if (isTesterProblem(state) && canRepair(settings, state)) return { action: 'retry', ...repairing(told.message), basis }
  const isTester = testEffects(state).some(({ key }) => key === problem.key)
  return { action: isTester ? 'escalate' : 'stop', ...told, guards: [], basis, question: problemQuestion(state, problem) }
}

/** A broken contract is a clean end with its name, never a step to the next role. */
function whenRefused(state: State, refused: ReviewProgress['refused'], trips: readonly Trip[]): Decision | undefined {
  if (!refused) return undefined
  const { contract, rule, seq } = refused
  const told = decided('review.decided.refused', { contract, message: refused.message, rule })
  return { action: 'stop', ...told, basis: [seq], question: endedQuestion(state, told.says, trips) }
}

/** An error of a model call ends the run, with the error on record. */
function whenFailed(
  state: State,
  work: State['current']['work'][number] | undefined,
  trips: readonly Trip[],
): Decision | undefined {
  if (!work?.failed) return undefined
  const who = state.slices?.review?.assigned?.to ?? 'The agent'
  const { reason, message } = work.failed
  const told = decided('review.decided.agent-failed', { who, isTimedOut: reason === 'timed-out', message })
  return { action: 'stop', ...told, basis: [work.seq], question: endedQuestion(state, told.says, trips) }
}

/**
 * Tests that pass on this very tree end the item, also where a reviewing agent would have gone on; a person is not overruled, and
 * what concerns security is not either without one.
 */
function whenPassed(settings: WholeReviewSettings, state: State, trips: readonly Trip[]): Decision | undefined {
  const { slices: { review } = {}, tree } = state
  const tests = testsIn(state)
  const isProved = tests.length > 0 && tests.every((test) => test.passed && test.tree === tree?.tree)
  if (review?.tested?.outcome !== 'passed' || !isProved || isRejectedByPerson(state)) return undefined
  const basis = basisOf(state)
  const disputes = trips.filter((trip) => trip.disputesPass)
  if (disputes.length > 0) {
    const told = decided('review.decided.disputed', { messages: disputes.map((trip) => trip.message).join(' ') })
    const guards = disputes.map(({ guard }) => guard)
    const facts = disputes.flatMap((trip) => trip.evidence.facts)
    return { action: 'escalate', ...told, guards, basis: [...basis, ...facts], question: disputedQuestion(state, disputes) }
  }
  const { graveFindings = [] } = review
  if (graveFindings.length > 0 && !settings.testerOverrulesSecurity) {
    const told = decided('review.decided.grave', { findings: graveFindings.join('; ') })
    return { action: 'escalate', ...told, guards: [], basis, question: graveQuestion(state, graveFindings) }
  }
  return { action: 'proceed', ...passedMessage(review), basis }
}

function passedMessage({ judged, reworks }: ReviewProgress): Message {
  if (!judged) return decided('review.decided.passed-after-repair')
  if (judged.route === 'APPROVE') return decided('review.decided.approved')
  const why = judged.route === 'ESCALATE_CONVERGENCE' ? 'convergence_detected' : judged.route
  return decided('review.decided.passed', { why, reworks: reworks.length })
}

/** The environment again, or limits. A person is asked, unless it can still be repaired. */
function whenBroken(settings: WholeReviewSettings, state: State, trips: readonly Trip[]): Decision | undefined {
  const { tested, testFailures = [], environmentRepairs = 0 } = state.slices?.review ?? {}
  const basis = [...basisOf(state), ...trips.flatMap((trip) => trip.evidence.facts)]
  const question = () => attemptsQuestion(state, trips, { includesDiff: true })
  if (trips.length > 0) {
    const action = trips.flatMap(guardsIn).some((guard) => settings.stopOn.includes(guard)) ? 'stop' : 'escalate'
    return { action, ...trippedBy(trips), basis, question: question() }
  }
  if (tested?.outcome === 'environment') {
    const trouble = tested.trouble === undefined ? {} : { trouble: tested.trouble }
    if (canRepair(settings, state))
      return { action: 'retry', ...repairing(decided('review.decided.environment', { ...trouble, repairs: 0 }).message), basis }
    const told = decided('review.decided.environment', { ...trouble, repairs: environmentRepairs })
    return { action: 'escalate', ...told, basis, question: question() }
  }
  if (tested?.outcome !== 'failed' || testFailures.length < settings.testFailuresMax) return undefined
  const told = decided('review.decided.failures', { count: testFailures.length })
  return { action: 'escalate', ...told, basis, question: question() }
}

function onceMore(settings: WholeReviewSettings, state: State): Decision {
  const { summary } = feedbackFrom(state, settings.feedbackLengthMax)
  const { judged, tested } = state.slices?.review ?? {}
  const isPlain = tested?.outcome === 'failed' || !judged
  const told = isPlain ? decided('text', { text: summary }) : decided('review.decided.route', { route: judged.route, summary })
  return { action: 'retry', ...told, basis: basisOf(state) }
}

function canRepair({ environmentRepairsMax }: WholeReviewSettings, { slices: { review } = {} }: State): boolean {
  return (review?.environmentRepairs ?? 0) < environmentRepairsMax
}

function repairing(message: string): Message {
  return decided('review.decided.repair', { message })
}

function isRejectedByPerson(state: State): boolean {
  const people = new Set(state.config.checks.filter(isPersonReview).map(({ settings: { name } }) => name))
  return reviewsIn(state).some(({ passed, name }) => !passed && people.has(name))
}

function basisOf({ slices: { review } = {}, current }: State): readonly number[] {
  const seqs = [review?.judged?.seq, review?.tested?.seq].filter((seq) => seq !== undefined)
  return [...current.checks.map((check) => check.seq), ...seqs]
}
