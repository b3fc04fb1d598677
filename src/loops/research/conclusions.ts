import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact } from '../../core/event.ts'
import { type Conflict, iterationsMaxOf, researchIterationOf, researchOf, type ResearchProgress } from './progress.ts'
import { isDone, type State } from '../../core/state.ts'
import { addedUp, chooseStrategy, firstCohort, forcedExploration, selectAgents } from './select-agents.ts'
import { convergenceFacts, standingFacts } from './convergence.ts'
import { extractQuestions } from './questions.ts'
import { idFrom } from './id-from.ts'
import { integrationFacts } from './integrate.ts'
import { examineKey, isJudgeSettled, isSettled, observeKey, questionsSettled } from './effects.ts'
import type { WholeResearchSettings } from './settings.ts'

/**
 * What is to be on record before research goes on, in the order of an iteration: the questions and the strategy before anybody works, who is sent, what
 * they brought, what a judge says, and what it all comes to. The first that is missing.
 */
export function researchConclusions(settings: WholeResearchSettings, state: State): readonly Fact[] {
  const { current } = state
  const research = researchOf(state)
  if (current.number === 0) return beforeWork(settings, state, research)
  if (research.assignments.length === 0) return assignments(settings, state, research)
  if (!isSettled(state) || !isDone(state, examineKey(state))) return []
  if (!research.integrated) return integrationFacts(settings, state)
  if (!isJudgeSettled(settings, state)) return []
  const judged = verdictFacts(state, research)
  if (judged.length > 0) return judged
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
function assignments(settings: WholeResearchSettings, state: State, research: ResearchProgress): readonly Fact[] {
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
