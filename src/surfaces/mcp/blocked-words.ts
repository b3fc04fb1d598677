import { BLOCKED, claimOf } from '../../loops/shared/promises.ts'
import type { State } from '../../core/state.ts'
import type { Trip } from '../../core/trip.ts'

/** Why a run asks a person. */
export interface BlockedWords {
  /** `circuit_breaker`, `blocked`, or `question` where no guard stands in the way. */
  readonly blockedBy: string
  readonly error: string
}

/** What blocks a run that asks a person: the agent says so itself, else the first of the guards in their order, else a problem. */
export function blockedWords(state: State): BlockedWords {
  const { question, message } = state
  if (claimOf(state)?.promise === BLOCKED) return { blockedBy: 'blocked', error: message }
  const trips = question?.trips ?? []
  const first = Object.keys(BLOCKED_BY).flatMap((name) => trips.find((trip) => trip.guard === name) ?? [])[0] ?? trips[0]
  return first ? { blockedBy: blockedName(first), error: first.message } : { blockedBy: 'question', error: message }
}

/** `Iteration safety guard: circuit_breaker`, or the words of what else stands in the way. */
export function blockedReason({ blockedBy, error }: BlockedWords): string {
  return blockedBy === 'blocked' || blockedBy === 'question' ? error : `Iteration safety guard: ${blockedBy}`
}

/** The same in one line with what the guard says, for an agent that did not ask for the next iteration. */
export function blockedLine(words: BlockedWords): string {
  const reason = blockedReason(words)
  return reason === words.error ? reason : `${reason}: ${words.error}`
}

/** The seed's names for its four, and our own in the same manner: `no_progress`. */
function blockedName({ guard }: Trip): string {
  return BLOCKED_BY[guard] ?? guard.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The names by which `iteration_next` says what blocks, in the order in which they count. */
const BLOCKED_BY: Readonly<Record<string, string>> = {
  maxIterations: 'max_iterations',
  circuitBreaker: 'circuit_breaker',
  qualityRegression: 'quality_regression',
  thrashing: 'thrashing',
}
