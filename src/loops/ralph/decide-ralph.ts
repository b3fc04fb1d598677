import { BLOCKED, claimOf } from '../shared/promises.ts'
import type { Decision } from '../../core/decision.ts'
import { attemptsQuestion, problemQuestion } from '../shared/questions.ts'
import { feedbackFrom } from '../shared/feedback.ts'
import { hasPassed, unbelievedPass } from '../shared/passed.ts'
import type { State } from '../../core/state.ts'
import { guardsIn, type Trip } from '../../core/trip.ts'
import { blockedQuestion, unclaimedQuestion, unprovenQuestion } from './ralph-questions.ts'
import { isOffered, promisesNow, type WholeRalphSettings } from './ralph-settings.ts'

/** What stands in the way, then `BLOCKED`, then a promise that holds, then guards, then another round: the first that applies decides. */
export function decideRalph(settings: WholeRalphSettings, state: State, trips: readonly Trip[]): Decision {
  const { problem } = state.current
  const claim = claimOf(state)
  if (problem) {
    const message = `${problem.what} could not do its job: ${problem.message}`
    return { action: 'escalate', message, basis: [problem.seq], question: problemQuestion(state, problem) }
  }
  if (claim?.promise === BLOCKED) {
    const message = `The agent says it is blocked: ${claim.reason ?? 'it gives no reason.'}`
    return { action: 'escalate', message, basis: [claim.seq], question: blockedQuestion(state, claim.reason, trips) }
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
  const message = claim ? `${claim.promise} holds: every check passed on this tree.` : 'Every check passed on this tree.'
  return { action: 'proceed', message, basis }
}

/** Where no check is there to confirm a promise, only a person can: asked at once, since another round would prove no more. */
function whenUnprovable(settings: WholeRalphSettings, state: State, trips: readonly Trip[]): Decision | undefined {
  const claim = claimOf(state)
  if (!claim || state.config.checks.length > 0 || !isOffered(settings, state)) return undefined
  const message = `The agent says ${claim.promise}, and there is no check or rule that could confirm it: a person has to say whether it is done.`
  return { action: 'escalate', message, basis: [claim.seq], question: unprovenQuestion(state, claim.promise, trips) }
}

function whenTripped(settings: WholeRalphSettings, state: State, trips: readonly Trip[]): Decision | undefined {
  if (trips.length === 0) return undefined
  const action = trips.flatMap(guardsIn).some((guard) => settings.stopOn.includes(guard)) ? 'stop' : 'escalate'
  const message = trips.map((trip) => trip.message).join(' ')
  const facts = trips.flatMap((trip) => trip.evidence.facts)
  const question = hasPassed(state)
    ? unclaimedQuestion(state, promisesNow(settings, state), trips)
    : attemptsQuestion(state, trips, { includesDiff: true })
  return { action, message, basis: [...basisOf(state), ...facts], question }
}

function onceMore(settings: WholeRalphSettings, state: State): Decision {
  const basis = basisOf(state)
  const { number } = state.current
  const claim = claimOf(state)
  if (!hasPassed(state)) {
    const { summary } = feedbackFrom(state, settings.feedbackLengthMax)
    return { action: 'retry', message: claim ? `The agent said ${claim.promise}, but: ${summary}` : summary, basis }
  }
  const isPromised = claim !== undefined || promisesNow(settings, state).length === 0
  const message = isPromised
    ? `The checks pass, but this is iteration ${number} of at least ${settings.iterationsMin}.`
    : `The checks pass, but the agent did not say ${promisesNow(settings, state).join(' or ')}.`
  return { action: 'retry', message, basis }
}

function basisOf(state: State): readonly number[] {
  const claim = claimOf(state)
  return [...(claim ? [claim.seq] : []), ...state.current.checks.map((check) => check.seq)]
}
