import type { Decision } from '../../core/decision.ts'
import { attemptsQuestion, nothingChangedQuestion, problemQuestion } from '../../core/escalation.ts'
import { feedbackFrom } from '../../core/feedback.ts'
import type { State } from '../../core/state.ts'
import type { Trip } from '../../core/trip.ts'
import type { TaskSettings } from './index.ts'

/** What stands in the way, then success, then limits, then another try: the first that applies decides. */
export function decideTask(settings: Required<TaskSettings>, state: State, trips: readonly Trip[]): Decision {
  const { current } = state
  const basis = current.checks.map((check) => check.seq)
  if (current.problem) {
    const { problem } = current
    return {
      action: 'escalate',
      message: `${problem.what} could not do its job: ${problem.message}`,
      basis: [problem.seq],
      question: problemQuestion(state, problem),
    }
  }
  if (hasPassed(state)) {
    if (provesNothing(state)) {
      const message = 'The checks pass, as they did before, and nothing was changed.'
      return { action: 'escalate', message, basis, question: nothingChangedQuestion(state) }
    }
    return { action: 'proceed', message: 'Every check passed on this tree.', basis }
  }
  const [first] = trips
  if (first) {
    const action = trips.some((trip) => settings.stopOn.includes(trip.guard)) ? 'stop' : 'escalate'
    const facts = trips.flatMap((trip) => trip.evidence.facts)
    return {
      action,
      message: trips.map((trip) => trip.message).join(' '),
      basis: [...basis, ...facts],
      question: attemptsQuestion(state, trips),
    }
  }
  const feedback = feedbackFrom(current.checks.flatMap((check) => check.failures))
  return { action: 'retry', message: feedback.summary, basis }
}

/** Every check passed, and on the very tree that the work left behind. */
function hasPassed({ current, tree }: State): boolean {
  const isSameTree = current.checks.every((check) => check.tree === tree?.tree)
  return current.ended?.verdict.passed === true && isSameTree
}

/** Checks that passed before any work say nothing about work that was not done. */
function provesNothing({ baseline, tree }: State): boolean {
  return baseline?.verdict.passed === true && baseline.tree === tree?.tree
}
