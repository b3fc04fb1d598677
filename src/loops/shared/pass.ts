import type { Decision } from '../../core/step.ts'
import { flakyPolicy } from '../../core/run-config.ts'
import { disputedQuestion, flakyQuestion, nothingChangedQuestion, refutedQuestion, unprovenQuestion } from './questions.ts'
import { PROOF_LEVELS } from '../../core/proof.ts'
import { flakyNow, isApprovedByPerson, levelNow, proofNow, speaksAgainst, wantedLevel } from './proof.ts'
import { messagesIn } from '../../core/saying.ts'
import { SHARED_WORDS } from './words.ts'
import type { Seq } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import type { Trip } from '../../core/trip.ts'

const decided = messagesIn(SHARED_WORDS)

/** Every check passed, and on the very tree that the work left behind. */
export function hasPassed({ current, tree }: State): boolean {
  return current.ended?.verdict.passed === true && current.checks.every((check) => check.tree === tree?.tree)
}

/**
 * Why a pass is no success all the same: something disputes it, nothing proves it, or the checks passed before any work on the very same
 * tree. Nothing when it is one.
 */
export function unbelievedPass(state: State, trips: readonly Trip[], basis: readonly Seq[]): Decision | undefined {
  const disputes = trips.filter((trip) => trip.disputesPass)
  const unproven = unprovenPass(state, basis)
  // Which tests fail on the new code says more than that some are gone; an edit of protected files has to be known first.
  const isOnlyLost = disputes.every(({ evidence }) => evidence.measures['suspicions'] === undefined)
  if (unproven?.says?.code === 'decided.refuted' && isOnlyLost) return unproven
  if (disputes.length > 0) {
    const told = decided('decided.disputed', { messages: disputes.map((trip) => trip.message).join(' ') })
    const guards = disputes.map(({ guard }) => guard)
    const facts = disputes.flatMap((trip) => trip.evidence.facts)
    return { action: 'escalate', ...told, guards, basis: [...basis, ...facts], question: disputedQuestion(state, disputes) }
  }
  if (unproven) return unproven
  const flaky = flakyNow(state)
  if (flaky.length > 0 && flakyPolicy(state.config) === 'ask')
    return { action: 'escalate', ...decided('decided.flaky'), guards: [], basis, question: flakyQuestion(state, flaky) }
  const { baseline, base, tree, config, current } = state
  // Without a baseline the checks pass on the start tree all the same: it is the one they were run on.
  const isStart = base !== undefined && base.tree === tree?.tree && current.checks.some((check) => !check.isReview)
  const isWanted = config.proof !== false && config.proof?.require !== 'unproven'
  const provesNothing = (baseline?.verdict.passed === true && baseline.tree === tree?.tree) || (isStart && isWanted)
  // Who approved it saw that nothing was changed.
  if (!provesNothing || isApprovedByPerson(state)) return undefined
  return nothingChanged(state, basis)
}

/** Why a pass is no success: something speaks against it, or nothing speaks for it. */
export function unprovenPass(state: State, basis: readonly Seq[]): Decision | undefined {
  const proof = proofNow(state)
  const level = levelNow(state)
  if (!proof || !level) return undefined
  const on = [...basis, ...(state.current.proof ? [state.current.proof.seq] : [])]
  const against = speaksAgainst(state)
  if (against.length > 0) {
    const question = refutedQuestion(state, against)
    return {
      action: 'escalate',
      ...decided('decided.refuted'),
      guards: [],
      basis: on,
      question,
    }
  }
  const wanted = wantedLevel(state)
  if (PROOF_LEVELS.indexOf(level) <= PROOF_LEVELS.indexOf(wanted)) return undefined
  return {
    action: 'escalate',
    ...decided('decided.unproven', { level, wanted }),
    guards: [],
    basis: on,
    question: unprovenQuestion(state, level, wanted),
  }
}

/** The decision to ask whether the goal is reached although nothing was changed for it. */
export function nothingChanged(state: State, basis: readonly Seq[]): Decision {
  return { action: 'escalate', ...decided('decided.nothing-changed'), guards: [], basis, question: nothingChangedQuestion(state) }
}
