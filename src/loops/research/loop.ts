import type { JsonObject } from '../../core/json.ts'
import type { Loop } from '../../core/loop.ts'
import { researchFold } from './fold.ts'
import {
  examineKey,
  isJudgeSettled,
  isJudgingSettled,
  isSettled,
  leftByJudges,
  observeKey,
  questionsSettled,
  researchEffects,
} from './effects.ts'
import { type ResearchSettings, wholeResearchSettings, type WholeResearchSettings } from './settings.ts'
import {
  type Conflict,
  type Convergence,
  iterationsMaxOf,
  researchIterationOf,
  researchOf,
  type ResearchProgress,
  researchVerdict,
  unmetCriteria,
} from './progress.ts'
import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact } from '../../core/event.ts'
import { isDone, type State } from '../../core/state.ts'
import { addedUp, chooseStrategy, firstCohort, forcedExploration, selectAgents } from './select-agents.ts'
import { convergenceFacts, standingFacts } from './convergence.ts'
import { extractQuestions } from './questions.ts'
import { idFrom } from './finding.ts'
import { integrationFacts } from './integrate.ts'
import { judgedConflicts, judgementFacts } from './judging.ts'
import { attemptLines } from '../../core/failure-item.ts'
import type { Decision } from '../../core/step.ts'
import { type Message, messagesIn, questionOf, type Saying } from '../../core/saying.ts'
import { ABORT } from '../../core/words.ts'
import { messageOf, problemDecision, trippedBy } from '../shared/questions.ts'
import { accept, goOn } from '../shared/options.ts'
import type { Question } from '../../core/question.ts'
import { isLimitTrip } from '../../core/trip.ts'
import { guardsIn, raisesOf, type Trip } from '../../core/trip.ts'
import { shortened } from '../../core/wording.ts'
import { RESEARCH_WORDS, researchSaying } from './words.ts'

/**
 * Research on a codebase, iteration by iteration, until what was found converges: gaps are found, specialists are sent for them, every citation is verified, and
 * the end is `FULL` or `PARTIAL` for reasons in numbers.
 *
 * @part research
 */
export function researchLoop(settings: ResearchSettings): Loop {
  const whole = wholeResearchSettings(settings)
  return {
    spec: { name: 'research', v: 1, settings: whole as unknown as JsonObject },
    concludes: (state) => researchConclusions(whole, state),
    effects: (state) => researchEffects(whole, state),
    verdict: researchVerdict,
    fold: researchFold,
    performers: () => import('./perform.ts').then(({ researchPerformers }) => researchPerformers),
    decide: (state, trips) => decideResearch(whole, state, trips),
  }
}

/**
 * What is to be on record before research continues, in the order of an iteration: the questions and the strategy before anybody works, who is sent, what
 * they brought, what a judge says, and what it all comes to. The first that is missing.
 */
export function researchConclusions(settings: WholeResearchSettings, state: State): readonly Fact[] {
  const { current } = state
  const research = researchOf(state)
  if (current.number === 0) return beforeWork(settings, state, research)
  if (research.assignments.length === 0) return assignmentFacts(settings, state, research)
  if (!isSettled(state) || !isDone(state, examineKey(state))) return []
  if (!research.integrated) return integrationFacts(settings, state)
  const found = judgementFacts(state)
  if (found.length > 0) return found
  if (!isJudgingSettled(state) || !isJudgeSettled(settings, state)) return []
  const judged = verdictFacts(state, research)
  if (judged.length > 0) return judged
  const settled = judgedConflicts(state)
  if (settled.length > 0) return settled
  if (leftByJudges(state).length > 0) return []
  return research.convergences.at(-1)?.iteration === researchIterationOf(state) ? [] : convergenceFacts(settings, state)
}

function beforeWork(settings: WholeResearchSettings, state: State, research: ResearchProgress): readonly Fact[] {
  if (!isDone(state, observeKey(state))) return []
  const { checkpoint } = settings
  if (checkpoint && research.iterationsBefore === undefined)
    return [concluded(state, LOOP, 'checkpoint.imported', { checkpoint })]
  if (research.questions.length === 0) return questionsSettled(settings, state) ? questionFacts(settings, state, research) : []
  if (!research.estimate || research.strategy) return []
  const strategy = chooseStrategy(settings.goal, research.estimate.files, settings)
  const chosen = concluded(state, LOOP, 'strategy.chosen', strategy)
  if (!checkpoint) return [chosen]
  return [chosen, ...standingFacts(settings, state, research, researchIterationOf(state)).facts]
}

/** As an agent reads them out of the prompt, where one is asked and could; else by rules. */
function questionFacts({ goal }: WholeResearchSettings, state: State, { proposed }: ResearchProgress): readonly Fact[] {
  return (proposed ?? extractQuestions(goal)).map(({ text, kind, isCritical }, index) => {
    const id = `question-${index + 1}`
    return concluded(state, LOOP, 'question.extracted', { id, text, kind, isCritical, from: proposed ? 'agent' : 'rules' })
  })
}

/** The first iteration has the strategy's cohort; later ones have who the gaps call for. */
function assignmentFacts(settings: WholeResearchSettings, state: State, research: ResearchProgress): readonly Fact[] {
  const iteration = researchIterationOf(state)
  const selected = selectAgents({
    prompt: settings.goal,
    rules: settings,
    research,
    iterationsRemaining: iterationsMaxOf(settings, state) - iteration + 1,
    effectiveness: addedUp([settings.past ?? [], research.effectiveness]),
  })
  const isFirst = state.current.number === 1 && research.iterationsBefore === undefined
  const first = isFirst ? firstCohort({ rules: settings, research }) : selected.assignments
  const sent = first.length === 0 ? forcedExploration(settings) : first
  const deferred = isFirst ? [] : selected.deferred
  return [
    ...sent.map((assignment) => concluded(state, LOOP, 'specialist.assigned', { ...assignment, iteration })),
    ...deferred.map(({ gap, reason }) => concluded(state, LOOP, 'gap.deferred', { gap, iteration, reason })),
  ]
}

/** What a judge says of pairs that only similarity nominated. */
function verdictFacts(state: State, { verdicts = [], nominations, findings, lastIds }: ResearchProgress): readonly Fact[] {
  const iteration = researchIterationOf(state)
  let raised = 0
  return verdicts.flatMap(({ pair, verdict, reason }) => {
    const nomination = nominations.find(({ id, status }) => id === pair && status === 'needs review')
    if (!nomination) return []
    if (verdict !== 'contradiction') return [concluded(state, LOOP, 'conflict.dismissed', { pair, iteration, reason })]
    const sides = nomination.findings.map((id) => ({
      finding: id,
      value: findings.find((finding) => finding.id === id)?.description ?? id,
    })) as unknown as Conflict['sides']
    const conflict: Conflict = {
      id: idFrom('conflict', lastIds.conflict + ++raised),
      topic: reason,
      sides,
      basis: 'judge',
      iterationRaised: iteration,
    }
    return [concluded(state, LOOP, 'conflict.raised', { conflict })]
  })
}

const decided = messagesIn(RESEARCH_WORDS)

/** What is in the way, then convergence, then guards, then a partial end, then another iteration. */
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

/** Whether to continue, or to take what was found. */
function convergenceQuestion(state: State, measured: Convergence, trips: readonly Trip[], why?: Saying): Question {
  const unmet = measured.criteria
    .filter(({ passed }) => !passed)
    .map(({ criterion, value, threshold }) => `${criterion} is ${rounded(value)}, wanted ${rounded(threshold)}`)
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

function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
