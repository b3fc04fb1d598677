import type { Decision } from '../../core/step.ts'
import { messagesIn, questionOf } from '../../core/saying.ts'
import { attemptsQuestion, messageOf, problemDecision, trippedBy } from '../shared/questions.ts'
import { feedbackFrom } from '../shared/feedback.ts'
import { hasPassed, unbelievedPass } from '../shared/pass.ts'
import { leftForLater } from '../shared/plan.ts'
import { provenNow, secondRun } from '../shared/proof.ts'
import type { State } from '../../core/state.ts'
import { guardsIn, raisesOf, type Trip } from '../../core/trip.ts'
import { settingsNow, type WholeSettings } from './settings.ts'
import { WITHOUT_TESTS } from './fold.ts'
import { isWritingTests, newFailures, testsTrouble } from './test-first.ts'
import { TASK_WORDS, taskSaying } from './words.ts'
import { accept, another, goOn, limitsOf } from '../shared/options.ts'
import { attemptLines } from '../../core/failure-item.ts'
import { ABORT } from '../../core/words.ts'
import type { Question } from '../../core/question.ts'

const decided = messagesIn(TASK_WORDS)

/** What is in the way, then success, then limits, then another try: the first that applies decides. */
export function decideTask(settings: WholeSettings, state: State, trips: readonly Trip[]): Decision {
  const { current } = state
  if (current.problem) return problemDecision(state, current.problem)
  if (isWritingTests(settings, state)) return whenWritten(settingsNow(settings, state), state, trips)
  return hasPassed(state) ? whenPassed(state, trips) : whenFailed(settingsNow(settings, state), state, trips)
}

/** Success outranks every limit, but not a reason to disbelieve it. */
function whenPassed(state: State, trips: readonly Trip[]): Decision {
  const basis = basisOf(state)
  const unbelieved = unbelievedPass(state, trips, basis)
  if (unbelieved) return unbelieved
  const proof = state.current.proof ? [state.current.proof.seq] : []
  const left = leftForLater(state)
  const values = { ...(provenNow(state) ?? secondRun(state)), ...(left.length === 0 ? {} : leftValues(left)) }
  return { action: 'proceed', ...decided('decided.passed', values), basis: [...basis, ...proof] }
}

function leftValues(left: readonly string[]): { readonly left: readonly string[]; readonly leftCount: number } {
  return { left: left.slice(0, LEFT_NAMED_MAX), leftCount: left.length }
}

const LEFT_NAMED_MAX = 3

/** Tests that fail as wanted let the work begin. Others are written once more, and then a person is asked. */
function whenWritten(settings: WholeSettings, state: State, trips: readonly Trip[]): Decision {
  const basis = basisOf(state)
  const trouble = testsTrouble(state)
  if (trouble === undefined) {
    if (trips.length > 0) return whenFailed(settings, state, trips)
    const count = new Set(newFailures(state).map(({ id }) => id)).size
    return { action: 'retry', ...decided('tests.decided.accepted', { count }), basis }
  }
  const { others, othersCount, tries } = {
    others: [],
    othersCount: 0,
    tries: 0,
    ...state.slices?.tests?.seen,
    ...state.slices?.tests,
  }
  const values = { trouble, ...(trouble === 'others' ? { files: others, count: othersCount } : {}) }
  if (trips.length === 0 && tries < TRIES_MAX) return { action: 'retry', ...decided('tests.decided.again', values), basis }
  const action = trips.flatMap(guardsIn).some((guard) => settings.stopOn.includes(guard)) ? 'stop' : 'escalate'
  const facts = trips.flatMap((trip) => trip.evidence.facts)
  const question = testsQuestion(state, values, trips)
  const told = decided('tests.trouble', values)
  return { action, ...told, guards: trips.map(({ guard }) => guard), basis: [...basis, ...facts], question }
}

/** How often tests are written before a person is asked. */
const TRIES_MAX = 2

/** What to ask where nobody wrote tests that fail before the work. */
function testsQuestion(
  state: State,
  values: Parameters<(typeof TASK_WORDS)['tests.trouble']>[0],
  trips: readonly Trip[],
): Question {
  const raises = trips.flatMap(raisesOf)
  const limits = limitsOf(raises)
  return questionOf(TASK_WORDS, {
    code: 'tests',
    text: [taskSaying('tests.trouble', values), ...trips.map(messageOf), taskSaying('tests.ask')],
    options: [
      goOn(raises, { words: TASK_WORDS, label: taskSaying('tests.again', limits), after: taskSaying('tests.again.after') }),
      another(
        goOn(raises, {
          words: TASK_WORDS,
          choice: WITHOUT_TESTS,
          label: taskSaying('tests.without', limits),
          after: taskSaying('tests.without.after'),
        }),
      ),
      ...(values.trouble === 'green' ? [accept(state)] : []),
      ABORT,
    ],
    attempts: attemptLines(state),
  })
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
