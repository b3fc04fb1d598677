import type { Decision } from '../../core/step.ts'
import { messagesIn } from '../../core/saying.ts'
import { attemptsQuestion, problemDecision, trippedBy } from '../shared/questions.ts'
import { SHARED_WORDS } from '../shared/words.ts'
import { feedbackFrom } from '../shared/feedback.ts'
import { hasPassed, unbelievedPass } from '../shared/pass.ts'
import { provenNow } from '../shared/proof.ts'
import type { State } from '../../core/state.ts'
import { guardsIn, type Trip } from '../../core/trip.ts'
import { settingsNow, type WholeSettings } from './settings.ts'

const decided = messagesIn(SHARED_WORDS)

/** What stands in the way, then success, then limits, then another try: the first that applies decides. */
export function decideTask(settings: WholeSettings, state: State, trips: readonly Trip[]): Decision {
  const { current } = state
  if (current.problem) return problemDecision(state, current.problem)
  return hasPassed(state) ? whenPassed(state, trips) : whenFailed(settingsNow(settings, state), state, trips)
}

/** Success outranks every limit, but not a reason to disbelieve it. */
function whenPassed(state: State, trips: readonly Trip[]): Decision {
  const basis = basisOf(state)
  const unbelieved = unbelievedPass(state, trips, basis)
  if (unbelieved) return unbelieved
  const proof = state.current.proof ? [state.current.proof.seq] : []
  return { action: 'proceed', ...decided('decided.passed', provenNow(state) ?? {}), basis: [...basis, ...proof] }
}

function whenFailed(settings: WholeSettings, state: State, trips: readonly Trip[]): Decision {
  const basis = basisOf(state)
  const { escalationIncludesDiff: includesDiff } = settings
  if (trips.length > 0) {
    const action = trips.flatMap(guardsIn).some((guard) => settings.stopOn.includes(guard)) ? 'stop' : 'escalate'
    const facts = trips.flatMap((trip) => trip.evidence.facts)
    const question = attemptsQuestion(state, trips, { includesDiff })
    return { action, ...trippedBy(trips), basis: [...basis, ...facts], question }
  }
  const { summary } = feedbackFrom(state, settings.feedbackLengthMax)
  const setting = retryIsOff(settings, state)
  if (setting === undefined) return { action: 'retry', ...decided('text', { text: summary }), basis }
  const told = decided('decided.retry-off', { summary, setting })
  return { action: 'escalate', ...told, guards: [], basis, question: attemptsQuestion(state, [], { includesDiff }) }
}

/** The setting that forbids another try by itself. A failing test counts before a review. */
function retryIsOff(settings: WholeSettings, { current }: State): string | undefined {
  const failed = current.checks.filter((check) => !check.passed)
  if (!settings.autoRetryOnTestFail && failed.some((check) => !check.isReview)) return 'auto_retry_on_test_fail'
  if (!settings.autoRetryOnReviewReject && failed.some((check) => check.isReview)) return 'auto_retry_on_review_reject'
  return undefined
}

function basisOf({ current }: State): readonly number[] {
  return current.checks.map((check) => check.seq)
}
