import { claimOf } from '../shared/promises.ts'
import { attemptLines } from '../../core/failure-item.ts'
import type { Question } from '../../core/question.ts'
import { questionOf } from '../../core/saying.ts'
import type { State } from '../../core/state.ts'
import { raisesOf, type Trip } from '../../core/trip.ts'
import { ABORT } from '../../core/words.ts'
import { accept, goOn, guardOptions, limitsOf } from '../shared/options.ts'
import { messageOf, remediation } from '../shared/questions.ts'
import { RALPH_WORDS, ralphSaying } from './words.ts'

/** What to ask when the agent says that it cannot go on: its reason, and whether that is mended. */
export function blockedQuestion(state: State, reason: string | undefined, trips: readonly Trip[]): Question {
  const { run } = state
  return questionOf(RALPH_WORDS, {
    code: 'ralph.blocked',
    text: [
      ralphSaying('ralph.blocked', reason === undefined ? {} : { reason }),
      ...trips.map(messageOf),
      ralphSaying('ralph.blocked.ask'),
    ],
    options: [
      goOn(trips.flatMap(raisesOf), { words: RALPH_WORDS, label: ralphSaying('ralph.blocked.mended') }),
      accept(state),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: [ralphSaying('ralph.step.read', { run }), ralphSaying('ralph.step.give', { run }), ...remediation(state, trips)],
  })
}

/** What to ask when a guard trips while the checks pass and nothing was promised. */
export function unclaimedQuestion(state: State, promises: readonly string[], trips: readonly Trip[]): Question {
  const isPromised = promises.length === 0 || claimOf(state) !== undefined
  const raises = trips.flatMap(raisesOf)
  return questionOf(RALPH_WORDS, {
    code: 'ralph.unclaimed',
    text: [
      isPromised ? ralphSaying('ralph.more-asked-for') : ralphSaying('ralph.unclaimed', { promises: promises.join(' or ') }),
      ralphSaying('ralph.ask.done'),
    ],
    options: [
      accept(state, { words: RALPH_WORDS, label: ralphSaying('accept.done'), after: ralphSaying('ralph.accept.passing') }),
      goOn(raises, { label: ralphSaying('go-on.not-done', limitsOf(raises)) }),
      ...guardOptions(state, trips),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: remediation(state, trips),
  })
}

/** What to ask when the agent says that it is done and no check is there to confirm it. */
export function unprovenQuestion(state: State, promise: string, trips: readonly Trip[]): Question {
  const raises = trips.flatMap(raisesOf)
  return questionOf(RALPH_WORDS, {
    code: 'ralph.unproven',
    text: [ralphSaying('ralph.unproven', { promise }), ralphSaying('ralph.ask.done')],
    options: [
      accept(state, { words: RALPH_WORDS, label: ralphSaying('accept.done'), after: ralphSaying('ralph.accept.unproven') }),
      goOn(raises, { words: RALPH_WORDS, label: ralphSaying('ralph.go-on.missing', limitsOf(raises)) }),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: [ralphSaying('ralph.step.look', { run: state.run }), ...remediation(state, trips)],
  })
}
