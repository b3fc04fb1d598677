import { attemptLines } from '../../core/attempt-lines.ts'
import type { Decision } from '../../core/decision.ts'
import { problemQuestion } from '../shared/questions.ts'
import { accept, goOn } from '../shared/options.ts'
import { ABORT, type Question } from '../../core/question.ts'
import { type Convergence, unmetCriteria } from './convergence.ts'
import type { State } from '../../core/state.ts'
import { isLimitTrip } from '../../core/limits.ts'
import { guardsIn, raisesOf, type Trip } from '../../core/trip.ts'
import { counted, shortened } from '../../core/wording.ts'
import { researchOf } from './research-iteration.ts'
import type { WholeResearchSettings } from './research-settings.ts'

/** What stands in the way, then convergence, then guards, then a partial end, then another iteration. */
export function decideResearch({ partial }: WholeResearchSettings, state: State, trips: readonly Trip[]): Decision {
  const { problem } = state.current
  if (problem) {
    const message = `${problem.what} could not do its job: ${problem.message}`
    return { action: 'escalate', message, basis: [problem.seq], question: problemQuestion(state, problem) }
  }
  const measured = researchOf(state).convergences.at(-1)
  const basis = [...state.current.work.map(({ seq }) => seq), ...(state.current.ended ? [state.current.ended.seq] : [])]
  if (!measured) return { action: 'retry', message: 'Nothing is measured yet.', basis }
  if (measured.status === 'FULL') return { action: 'proceed', message: fullWords(measured), basis }
  const stopping = trips.filter((trip) => !guardsIn(trip).includes('maxIterations'))
  if (stopping.length > 0) {
    const message = stopping.map((trip) => trip.message).join(' ')
    const facts = [...basis, ...stopping.flatMap((trip) => trip.evidence.facts)]
    const action = stopping.every(isLimitTrip) ? 'stop' : 'escalate'
    return { action, message, basis: facts, question: questionOf(state, measured, stopping) }
  }
  if (measured.action === 'CONTINUE') return { action: 'retry', message: measured.reason, basis }
  const failed = silentAgents(state)
  if (failed !== undefined) {
    const message = `No agent ever answered, so nothing is known: ${failed}`
    return { action: 'stop', message, basis, question: questionOf(state, measured, trips, message) }
  }
  const message = partialWords(measured, state)
  if (partial.enabled) return { action: 'proceed', message, basis }
  return { action: 'escalate', message, basis, question: questionOf(state, measured, trips) }
}

/** What the agents said where every one that was ever sent failed: that is no result. */
function silentAgents(state: State): string | undefined {
  const { agentRuns, assignments, iterationsBefore } = researchOf(state)
  const hasAnswer = agentRuns.length === 0 || agentRuns.some(({ runs, failures }) => failures < runs)
  if (hasAnswer || iterationsBefore !== undefined) return undefined
  return assignments.map(({ role, failure = 'it failed' }) => `${role}: ${shortened(failure, FAILURE_LENGTH_MAX)}`).join('; ')
}

const FAILURE_LENGTH_MAX = 200

function fullWords({ iteration, coverage, confidence, early, agentFailures }: Convergence): string {
  const numbers = `coverage ${percent(coverage)}, confidence ${percent(confidence)}`
  const skipped = early ? ` High confidence reached early: ${counted(early.iterationsSkipped, 'iteration')} skipped.` : ''
  const failed =
    agentFailures.length === 0 ? '' : ` But ${counted(agentFailures.length, 'agent')} failed: ${agentFailures.join(', ')}.`
  return `FULL CONVERGENCE in iteration ${iteration}: ${numbers}.${skipped}${failed}`
}

function partialWords(measured: Convergence, state: State): string {
  const { gaps } = researchOf(state)
  const open = gaps.length === 0 ? 'no gap is left open' : `${counted(gaps.length, 'gap')} still open`
  return `PARTIAL CONVERGENCE: ${measured.reason} Unmet: ${unmetCriteria(measured).join(', ')}; ${open}.`
}

/** Whether to go on, or to take what was found. */
function questionOf(state: State, measured: Convergence, trips: readonly Trip[], why?: string): Question {
  const unmet = measured.criteria
    .filter(({ passed }) => !passed)
    .map(({ criterion, value, threshold }) => `${criterion} is ${shown(value)}, wanted ${shown(threshold)}`)
  return {
    text: [
      ...(why === undefined ? [] : [why]),
      ...trips.map((trip) => trip.message),
      `Not converged: ${unmet.join('; ')}.`,
      'Go on, or take what was found?',
    ].join('\n'),
    options: [goOn(trips.flatMap(raisesOf)), accept(state, 'Take the findings as they are'), ABORT],
    attempts: attemptLines(state),
  }
}

function shown(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}
