import type { Decision } from '../../core/step.ts'
import { type Message, messagesIn } from '../../core/saying.ts'
import { attemptsQuestion, problemMessage, problemQuestion, trippedBy } from '../shared/questions.ts'
import { feedbackFrom } from '../shared/feedback.ts'
import { nothingChanged, unbelievedPass } from '../shared/pass.ts'
import { isApprovedByPerson, levelNow, proofNow, provenNow, secondRun, speaksAgainst } from '../shared/proof.ts'
import type { Proven } from '../shared/words.ts'
import type { ReviewProgress } from './progress.ts'
import type { State } from '../../core/state.ts'
import { guardsIn, type Trip } from '../../core/trip.ts'
import { isTesterProblem, testEffects, testsIn } from './round.ts'
import { endedQuestion, findingsQuestion } from './questions.ts'
import type { WholeReviewSettings } from './settings.ts'
import { REVIEW_WORDS } from './words.ts'

const decided = messagesIn(REVIEW_WORDS)

/** What is in the way, then what may not be handed on, then success, then repairs and limits, then another pass. */
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
 * Tests that pass on this very tree end an item that is approved. A reviewing agent that would have continued is overruled only by a
 * test that was red before the item, is green now and is not the coder's; what concerns security only by a person, who is never overruled.
 */
function whenPassed(settings: WholeReviewSettings, state: State, trips: readonly Trip[]): Decision | undefined {
  const { slices: { review } = {}, tree } = state
  const tests = testsIn(state)
  const isPassed = tests.length > 0 && tests.every((test) => test.passed && test.tree === tree?.tree)
  if (review?.tested?.outcome !== 'passed' || !isPassed || review.rejected?.isByPerson) return undefined
  const basis = basisOf(state)
  const isDoubted = trips.some((trip) => trip.disputesPass) || speaksAgainst(state).length > 0
  const { graveFindings = [], rejected } = review
  const isGrave = graveFindings.length > 0 && !settings.testerOverrulesSecurity
  if (isGrave && !isDoubted) return asks(state, 'grave', graveFindings, basis)
  if (rejected && !isDoubted && proofNow(state)?.level !== 'red-to-green')
    return asks(state, 'rejected', rejected.findings, basis)
  const unbelieved = unbelievedPass(state, trips, basis) ?? whenUntouched(state, review, basis)
  if (unbelieved) return unbelieved
  return { action: 'proceed', ...passedMessage(review, provenNow(state) ?? secondRun(state)), basis }
}

function asks(state: State, why: 'grave' | 'rejected', findings: readonly string[], basis: readonly number[]): Decision {
  const told = decided(`review.decided.${why}`, { findings: findings.join('; ') })
  return { action: 'escalate', ...told, guards: [], basis, question: findingsQuestion(state, `review.${why}`, findings) }
}

/** An item that only the checks changed files for is one that nobody worked on, whatever a reviewing agent says of it. */
function whenUntouched(state: State, { hasChanges }: ReviewProgress, basis: readonly number[]): Decision | undefined {
  const level = levelNow(state)
  const isProven = level === 'red-to-green' || level === 'self-tested' || isApprovedByPerson(state)
  const isWanted = state.config.proof !== false && state.config.proof?.require !== 'unproven'
  return hasChanges || isProven || !isWanted ? undefined : nothingChanged(state, basis)
}

function passedMessage({ judged, reworks }: ReviewProgress, proven: Partial<Proven>): Message {
  if (!judged) return decided('review.decided.passed-after-repair', proven)
  if (judged.route === 'APPROVE') return decided('review.decided.approved', proven)
  const why = judged.route === 'ESCALATE_CONVERGENCE' ? 'convergence_detected' : judged.route
  return decided('review.decided.passed', { why, reworks: reworks.length, ...proven })
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

function basisOf({ slices: { review } = {}, current }: State): readonly number[] {
  const seqs = [current.proof?.seq, review?.judged?.seq, review?.tested?.seq].filter((seq) => seq !== undefined)
  return [...current.checks.map((check) => check.seq), ...seqs]
}
