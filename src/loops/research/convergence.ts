import {
  averageConfidence,
  type Convergence,
  type CriterionResult,
  type IterationMetrics,
  iterationsMaxOf,
  researchIterationOf,
  researchOf,
  type ResearchProgress,
} from './progress.ts'
import type { Criterion, ResearchRules } from './rules.ts'
import { counted, shortened } from '../../core/wording.ts'
import { rounded } from './confidence.ts'
import { analyseGaps, coverageNow, reconcileGaps } from './gap.ts'
import { actionableGaps } from './select-agents.ts'
import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { answeredQuestions } from './questions.ts'
import type { WholeResearchSettings } from './settings.ts'
import { failingWords } from './words.ts'

/** How many iterations are remembered one by one. */
export const CONVERGENCES_MAX = 50

export interface ConvergenceCase {
  readonly rules: ResearchRules
  /** With the questions and gaps as they are now. */
  readonly research: ResearchProgress
  readonly iteration: number
  readonly iterationsMax: number
  readonly durationMs: number
}

/**
 * Whether the research is over, and why. All criteria: `FULL`, marked early where the quality is exceptional and iterations are left.
 * Otherwise it continues until the maximum, two iterations without a new finding, or a forced exploration that brought nothing to do: `PARTIAL`.
 */
function measureConvergence(given: ConvergenceCase): Convergence {
  const { rules, research, iteration, iterationsMax } = given
  const coverage = coverageNow(research, rules)
  const confidence = averageConfidence(research)
  const critical = research.questions.filter(({ isCritical }) => isCritical)
  const answered = critical.filter(({ status }) => status === 'answered').length
  const unresolved = research.conflicts.filter(({ resolution }) => !resolution).length
  const values: Readonly<Record<Criterion, number>> = {
    coverage: rounded(coverage.coverage),
    confidence,
    conflicts: unresolved,
    questions: critical.length === 0 ? 1 : rounded(answered / critical.length),
  }
  const criteria = criteriaOf(rules, values)
  const ending = endingOf(given, criteria)
  const isEarly =
    ending.status === 'FULL' &&
    rules.early.enabled &&
    iteration < iterationsMax &&
    values.coverage >= rules.early.coverageMin &&
    confidence >= rules.early.confidenceMin
  return {
    iteration,
    iterationsMax,
    coverage: values.coverage,
    filesAnalysed: coverage.analysed.length,
    filesRelevant: coverage.files.length,
    confidence,
    unresolvedConflicts: unresolved,
    needsReview: research.nominations.filter(({ status }) => status === 'needs review').length,
    questionsAnswered: answered,
    questionsCritical: critical.length,
    criteria,
    ...ending,
    ...(isEarly ? { early: { iterationsSkipped: iterationsMax - iteration } } : {}),
    agentFailures: research.assignments.filter(({ status }) => status === 'failed').map(({ role }) => role),
    metrics: metricsOf(given, values),
  }
}

function criteriaOf({ criteria }: ResearchRules, values: Readonly<Record<Criterion, number>>): readonly CriterionResult[] {
  return CRITERIA.filter((criterion) => criteria[criterion].enabled).map((criterion) => {
    const { threshold } = criteria[criterion]
    const value = values[criterion]
    return { criterion, value, threshold, passed: criterion === 'conflicts' ? value <= threshold : value >= threshold }
  })
}

const CRITERIA: readonly Criterion[] = ['coverage', 'confidence', 'conflicts', 'questions']

type Ending = Pick<Convergence, 'status' | 'action' | 'reason'>

function endingOf(given: ConvergenceCase, criteria: readonly CriterionResult[]): Ending {
  const { rules, research, iteration, iterationsMax } = given
  const unmet = criteria.filter(({ passed }) => !passed).length
  if (unmet === 0 && iteration >= rules.iterationsMin)
    return { status: 'FULL', action: 'EXIT', reason: `All ${criteria.length} criteria hold${failedWords(research)}.` }
  const failing = failingWords(unmet)
  if (iteration >= iterationsMax)
    return {
      status: 'PARTIAL',
      action: 'EXIT',
      reason: `Iteration ${iteration} was the last one${countedOn(given)} (${failing}).`,
    }
  const { emptyIterations } = research
  const untried = actionableGaps(research.gaps, rules).filter(({ attempts }) => attempts === 0).length
  if (emptyIterations >= rules.emptyIterationsMax && untried === 0)
    return {
      status: 'PARTIAL',
      action: 'EXIT',
      reason: `${counted(emptyIterations, 'iteration')} in a row brought no new finding (${failing}).`,
    }
  const isActionable = actionableGaps(research.gaps, rules).length > 0
  if (!isActionable && research.forcedIn !== undefined)
    return {
      status: 'PARTIAL',
      action: 'EXIT',
      reason: `No gap is left that an agent could be sent for, after a forced exploration (${failing}).`,
    }
  const reason = isActionable
    ? `${failing}; ${counted(research.gaps.length, 'gap')} open.`
    : `${failing}, and no gap that an agent could be sent for: one broad exploration is forced.`
  return { status: 'not_converged', action: 'CONTINUE', reason }
}

/** Where a run continues from a checkpoint, its own maximum is said as well. */
function countedOn({ research: { iterationsBefore = 0 }, iterationsMax }: ConvergenceCase): string {
  return iterationsBefore === 0 ? '' : ` of ${iterationsMax - iterationsBefore} after the checkpoint's ${iterationsBefore}`
}

/** Whoever reads that all is well also reads who couldn't say anything about it. */
function failedWords({ assignments }: ResearchProgress): string {
  const failed = assignments.filter(({ status }) => status === 'failed')
  if (failed.length === 0) return ''
  const reasons = failed.map(({ role, failure = 'it failed' }) => `${role} (${shortened(failure, FAILURE_LENGTH_MAX)})`)
  return `, but ${counted(failed.length, 'agent')} failed: ${reasons.join(', ')}`
}

const FAILURE_LENGTH_MAX = 160

function metricsOf(
  { research, iteration, durationMs }: ConvergenceCase,
  values: Readonly<Record<Criterion, number>>,
): IterationMetrics {
  const before = research.convergences.at(-1)
  const {
    recorded = 0,
    merged = 0,
    skipped = 0,
    citationsAdded = 0,
    citationsRefuted = 0,
    filesNew = 0,
  } = research.integrated ?? {}
  return {
    iteration,
    agents: research.assignments.length,
    agentsFailed: research.assignments.filter(({ status }) => status === 'failed').length,
    filesNew,
    findingsNew: recorded,
    findingsMerged: merged,
    duplicatesSkipped: skipped,
    citationsAdded,
    citationsRefuted,
    durationMs,
    coverageGain: rounded(values.coverage - (before?.coverage ?? 0)),
    confidenceGain: rounded(values.confidence - (before?.confidence ?? 0)),
  }
}

/** What an iteration comes to: how far the questions are answered, which gaps are open or closed, and whether it has converged. */
export function convergenceFacts(settings: WholeResearchSettings, state: State): readonly Fact[] {
  const before = researchOf(state)
  const iteration = researchIterationOf(state)
  const { facts, research } = standingFacts(settings, state, before, iteration)
  const measured = measureConvergence({
    rules: settings,
    research,
    iteration,
    iterationsMax: iterationsMaxOf(settings, state),
    durationMs: state.totals.activeMs - state.current.totalsAtStart.activeMs,
  })
  return [...facts, concluded(state, LOOP, 'convergence.measured', measured)]
}

/** Questions and gaps as they are now, and the facts that say what changed. */
export function standingFacts(
  settings: WholeResearchSettings,
  state: State,
  before: ResearchProgress,
  iteration: number,
): { readonly facts: readonly Fact[]; readonly research: ResearchProgress } {
  const questions = answeredQuestions(before, settings)
  const changed = questions.filter((question, index) => JSON.stringify(question) !== JSON.stringify(before.questions[index]))
  const answered = { ...before, questions }
  const { found, closed, open } = reconcileGaps(
    before,
    analyseGaps({ prompt: settings.goal, rules: settings, research: answered }),
    iteration,
  )
  const facts = [
    ...changed.map(({ id, status, findings, said, missing }) =>
      concluded(state, LOOP, 'question.answered', {
        id,
        iteration,
        status,
        findings,
        ...(said === undefined ? {} : { said }),
        ...(missing === undefined ? {} : { missing }),
      }),
    ),
    ...closed.map((gap) => concluded(state, LOOP, 'gap.closed', { gap, iteration, reason: 'it is no longer there' })),
    ...found.map(({ gap, seen }) => concluded(state, LOOP, 'gap.found', { gap, iteration, seen })),
  ]
  return { facts, research: { ...answered, gaps: open } }
}
