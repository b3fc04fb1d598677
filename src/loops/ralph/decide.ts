import { BLOCKED, claimOf } from '../shared/promises.ts'
import type { Decision } from '../../core/step.ts'
import { messagesIn } from '../../core/saying.ts'
import { attemptsQuestion, problemDecision, trippedBy } from '../shared/questions.ts'
import { feedbackFrom } from '../shared/feedback.ts'
import { hasPassed, unbelievedPass } from '../shared/pass.ts'
import type { State } from '../../core/state.ts'
import { guardsIn, type Trip } from '../../core/trip.ts'
import { blockedQuestion, unclaimedQuestion, unprovenQuestion } from './questions.ts'
import { RALPH_WORDS } from './words.ts'
import { isOffered, promisesNow, type WholeRalphSettings } from './settings.ts'

const decided = messagesIn(RALPH_WORDS)

/** What stands in the way, then `BLOCKED`, then a promise that holds, then guards, then another round: the first that applies decides. */
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
  const told = claim ? decided('ralph.decided.holds', { promise: claim.promise }) : decided('decided.passed')
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
    question: unprovenQuestion(state, claim.promise, trips),
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
