import { attemptLines } from '../../core/failure-item.ts'
import type { Decision } from '../../core/step.ts'
import { type Message, messagesIn, questionOf, type Saying } from '../../core/saying.ts'
import { ABORT } from '../../core/words.ts'
import { messageOf, problemDecision, trippedBy } from '../shared/questions.ts'
import { accept, goOn } from '../shared/options.ts'
import type { Question } from '../../core/question.ts'
import { type Convergence, researchOf, unmetCriteria } from './progress.ts'
import type { State } from '../../core/state.ts'
import { guardsIn, isLimitTrip, raisesOf, type Trip } from '../../core/trip.ts'
import { shortened } from '../../core/wording.ts'
import type { WholeResearchSettings } from './settings.ts'
import { RESEARCH_WORDS, researchSaying } from './words.ts'

const decided = messagesIn(RESEARCH_WORDS)

/** What stands in the way, then convergence, then guards, then a partial end, then another iteration. */
export function decideResearch({ partial }: WholeResearchSettings, state: State, trips: readonly Trip[]): Decision {
  const { problem } = state.current
  if (problem) return problemDecision(state, problem)
  const measured = researchOf(state).convergences.at(-1)
  const basis = [...state.current.work.map(({ seq }) => seq), ...(state.current.ended ? [state.current.ended.seq] : [])]
  if (!measured) return { action: 'retry', ...decided('research.decided.nothing-yet'), basis }
  if (measured.status === 'FULL') return { action: 'proceed', ...fullMessage(measured), basis }
  const stopping = trips.filter((trip) => !guardsIn(trip).includes('maxIterations'))
  if (stopping.length > 0) {
    const facts = [...basis, ...stopping.flatMap((trip) => trip.evidence.facts)]
    const action = stopping.every(isLimitTrip) ? 'stop' : 'escalate'
    return { action, ...trippedBy(stopping), basis: facts, question: convergenceQuestion(state, measured, stopping) }
  }
  if (measured.action === 'CONTINUE') return { action: 'retry', ...decided('text', { text: measured.reason }), basis }
  const failed = silentAgents(state)
  if (failed !== undefined) {
    const told = decided('research.decided.silent', { failed })
    return { action: 'stop', ...told, basis, question: convergenceQuestion(state, measured, trips, told.says) }
  }
  const told = partialMessage(measured, state)
  if (partial.enabled) return { action: 'proceed', ...told, basis }
  return { action: 'escalate', ...told, basis, question: convergenceQuestion(state, measured, trips) }
}

/** What the agents said where every one that was ever sent failed: that is no result. */
function silentAgents(state: State): string | undefined {
  const { agentRuns, assignments, iterationsBefore } = researchOf(state)
  const hasAnswer = agentRuns.length === 0 || agentRuns.some(({ runs, failures }) => failures < runs)
  if (hasAnswer || iterationsBefore !== undefined) return undefined
  return assignments.map(({ role, failure = 'it failed' }) => `${role}: ${shortened(failure, FAILURE_LENGTH_MAX)}`).join('; ')
}

const FAILURE_LENGTH_MAX = 200

function fullMessage({ iteration, coverage, confidence, early, agentFailures }: Convergence): Message {
  const skipped = early ? { skipped: early.iterationsSkipped } : {}
  return decided('research.decided.full', { iteration, coverage, confidence, ...skipped, failed: agentFailures })
}

function partialMessage(measured: Convergence, state: State): Message {
  const unmet = unmetCriteria(measured).join(', ')
  return decided('research.decided.partial', { reason: measured.reason, unmet, gaps: researchOf(state).gaps.length })
}

/** Whether to go on, or to take what was found. */
function convergenceQuestion(state: State, measured: Convergence, trips: readonly Trip[], why?: Saying): Question {
  const unmet = measured.criteria
    .filter(({ passed }) => !passed)
    .map(({ criterion, value, threshold }) => `${criterion} is ${shown(value)}, wanted ${shown(threshold)}`)
  return questionOf(RESEARCH_WORDS, {
    code: 'research.not-converged',
    text: [
      ...(why === undefined ? [] : [why]),
      ...trips.map(messageOf),
      researchSaying('research.not-converged', { unmet: unmet.join('; ') }),
      researchSaying('research.ask'),
    ],
    options: [
      goOn(trips.flatMap(raisesOf)),
      accept(state, { words: RESEARCH_WORDS, label: researchSaying('research.accept') }),
      ABORT,
    ],
    attempts: attemptLines(state),
  })
}

function shown(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
