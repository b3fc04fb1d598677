import { BLOCKED, claimOf } from '../shared/promises.ts'
import type { Decision } from '../../core/step.ts'
import { messagesIn, questionOf, sentence } from '../../core/saying.ts'
import {
  attemptsQuestion,
  findingSaying,
  messageOf,
  problemDecision,
  remediation,
  trippedBy,
  unprovenQuestion,
} from '../shared/questions.ts'
import { feedbackFrom } from '../shared/feedback.ts'
import { hasPassed, unbelievedPass, unprovenPass } from '../shared/pass.ts'
import { provenNow, secondRun, speaksAgainst, wantedLevel } from '../shared/proof.ts'
import type { State } from '../../core/state.ts'
import { guardsIn, raisesOf, type Trip } from '../../core/trip.ts'
import { RALPH_WORDS, ralphSaying } from './words.ts'
import { isOffered, promisesNow, type WholeRalphSettings } from './settings.ts'
import { attemptLines } from '../../core/failure-item.ts'
import type { Question } from '../../core/question.ts'
import { ABORT } from '../../core/words.ts'
import { accept, goOn, guardOptions, limitsOf } from '../shared/options.ts'
import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact } from '../../core/event.ts'
import { SHARED_WORDS } from '../shared/words.ts'

const decided = messagesIn(RALPH_WORDS)

/** What is in the way, then `BLOCKED`, then a promise that holds, then guards, then another round: the first that applies decides. */
export function decideRalph(settings: WholeRalphSettings, state: State, trips: readonly Trip[]): Decision {
  const { problem } = state.current
  const claim = claimOf(state)
  if (problem) return problemDecision(state, problem)
  if (claim?.promise === BLOCKED) {
    const { reason } = claim
    const told = decided('ralph.decided.blocked', reason === undefined ? {} : { reason })
    return {
      action: 'escalate',
      ...told,
      guards: unlessPassed(state, trips),
      basis: [claim.seq],
      question: blockedQuestion(state, reason, trips),
    }
  }
  return (
    whenDone(settings, state, trips) ??
    whenUnprovable(settings, state, trips) ??
    whenTripped(settings, state, trips) ??
    onceMore(settings, state)
  )
}

/** A promise that holds outranks every limit, but not a reason to disbelieve it, nor the iterations that are to be run anyway. */
function whenDone(settings: WholeRalphSettings, state: State, trips: readonly Trip[]): Decision | undefined {
  if (!isOffered(settings, state) || !hasPassed(state)) return undefined
  const claim = claimOf(state)
  const basis = basisOf(state)
  const unbelieved = unbelievedPass(state, trips, basis)
  if (unbelieved) return unbelieved
  const told = claim
    ? decided('ralph.decided.holds', { promise: claim.promise, ...provenNow(state) })
    : decided('decided.passed', provenNow(state) ?? secondRun(state))
  return { action: 'proceed', ...told, basis }
}

/** Where no check is there to confirm a promise, only a person can: asked at once, since another round would prove no more. */
function whenUnprovable(settings: WholeRalphSettings, state: State, trips: readonly Trip[]): Decision | undefined {
  const claim = claimOf(state)
  if (!claim || state.config.checks.length > 0 || !isOffered(settings, state)) return undefined
  const told = decided('ralph.decided.unprovable', { promise: claim.promise })
  return {
    action: 'escalate',
    ...told,
    guards: unlessPassed(state, trips),
    basis: [claim.seq],
    question: unprovenQuestion(state, 'unproven', wantedLevel(state), trips),
  }
}

function whenTripped(settings: WholeRalphSettings, state: State, trips: readonly Trip[]): Decision | undefined {
  if (trips.length === 0) return undefined
  const action = trips.flatMap(guardsIn).some((guard) => settings.stopOn.includes(guard)) ? 'stop' : 'escalate'
  const facts = trips.flatMap((trip) => trip.evidence.facts)
  const question = hasPassed(state)
    ? unclaimedQuestion(state, promisesNow(settings, state), trips)
    : attemptsQuestion(state, trips, { includesDiff: true })
  return { action, ...trippedBy(trips), basis: [...basisOf(state), ...facts], question }
}

function onceMore(settings: WholeRalphSettings, state: State): Decision {
  const basis = basisOf(state)
  const { number } = state.current
  const claim = claimOf(state)
  if (!hasPassed(state)) {
    const { summary } = feedbackFrom(state, settings.feedbackLengthMax)
    const told = claim
      ? decided('ralph.decided.claimed', { promise: claim.promise, summary })
      : decided('text', { text: summary })
    return { action: 'retry', ...told, basis }
  }
  const isPromised = claim !== undefined || promisesNow(settings, state).length === 0
  const told = isPromised
    ? decided('ralph.decided.more', { number, min: settings.iterationsMin })
    : decided('ralph.decided.unclaimed', { promises: promisesNow(settings, state).join(' or ') })
  return { action: 'retry', ...told, basis }
}

/** A pass outranks every limit, so a question about one rests on no guard. */
function unlessPassed(state: State, trips: readonly Trip[]): readonly string[] {
  return hasPassed(state) ? [] : trips.map(({ guard }) => guard)
}

function basisOf(state: State): readonly number[] {
  const claim = claimOf(state)
  return [...(claim ? [claim.seq] : []), ...state.current.checks.map((check) => check.seq)]
}

/** What to ask when the agent says that it cannot continue: its reason, and whether that is fixed. */
function blockedQuestion(state: State, reason: string | undefined, trips: readonly Trip[]): Question {
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
function unclaimedQuestion(state: State, promises: readonly string[], trips: readonly Trip[]): Question {
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

/** What the checks and the proof make of a claim: one of success holds only if all passed on the tree that the work left behind, and it is proven. */
export function claimFacts(state: State): readonly Fact[] {
  const { ended, checks } = state.current
  const claim = claimOf(state)
  if (!claim || !ended || claim.promise === BLOCKED) return []
  // Without checks nothing confirms it, and nothing refutes it either.
  if (state.config.checks.length === 0) return []
  const { promise } = claim
  const tree = state.tree?.tree ?? ''
  const holds = ended.verdict.passed && checks.every((check) => check.tree === tree)
  const against = holds ? speaksAgainst(state) : []
  if (against.length > 0) {
    const reasons = against.map((finding) => sentence(SHARED_WORDS, findingSaying(finding)) ?? finding.code)
    const message = ["The checks pass, but that doesn't prove the work is done.", ...reasons].join(' ')
    return [concluded(state, LOOP, 'promise.refuted', { promise, tree, message }, claim.seq)]
  }
  // Nothing refutes it, and nothing confirms it either.
  if (holds && unprovenPass(state, [])) return []
  if (holds) return [concluded(state, LOOP, 'promise.verified', { promise, tree }, claim.seq)]
  const failed = checks.filter((check) => !check.passed).map((check) => check.name)
  const message = failed.length === 0 ? 'No check passed on this tree.' : `Not passed: ${failed.join(', ')}.`
  return [concluded(state, LOOP, 'promise.refuted', { promise, tree, message }, claim.seq)]
}
