import {
  averageConfidence,
  type ChosenStrategy,
  type Conflict,
  type Convergence,
  type CriterionResult,
  type Gap,
  type IterationMetrics,
  liveFindings,
  type Nomination,
  researchOf,
  type ResearchQuestion,
  type Uncertainty,
  unmetCriteria,
} from './progress.ts'
import type { Criterion, PartialRule } from './rules.ts'
import type { CoverageEstimate } from './coverage.ts'
import { type CrossReference, crossReferences, type Finding, isVerified } from './finding.ts'
import { coverageNow } from './gap.ts'
import { type Effectiveness, wholeResearchSettings } from './settings.ts'
import { recordedSettings } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'

/** Everything that research has come to so far, for reports and displays. */
export interface ResearchResult {
  readonly goal: string
  /** `not_converged` while it is under way; `PARTIAL` also for one that was stopped, accepted or aborted before it converged. */
  readonly status: Convergence['status']
  /** Of a `PARTIAL` one: whether it is a good one, and why or why not. */
  readonly partial?: PartialQuality
  readonly strategy?: ChosenStrategy
  readonly questions: readonly ResearchQuestion[]
  /** Those that count; the ones that were given up are in `withdrawn`. */
  readonly findings: readonly Finding[]
  readonly withdrawn: readonly Finding[]
  readonly findingsDropped: number
  readonly conflicts: readonly Conflict[]
  /** Pairs that nobody has judged. */
  readonly needsReview: readonly Nomination[]
  readonly gaps: readonly Gap[]
  readonly coverage: CoverageEstimate
  readonly confidence: number
  readonly convergences: readonly Convergence[]
  readonly unmet: readonly Criterion[]
  readonly metrics: CumulativeMetrics
  readonly contributions: readonly AgentContribution[]
  readonly effectiveness: readonly Effectiveness[]
  readonly uncertainties: readonly Uncertainty[]
  readonly crossReferences: readonly CrossReference[]
  /** How often agents changed files that were then put back. */
  readonly timesPutBack: number
}

/** Sums over all iterations. */
export interface CumulativeMetrics {
  readonly iterations: number
  readonly agents: number
  readonly agentsFailed: number
  readonly files: number
  readonly findings: number
  readonly citations: number
  readonly citationsRefuted: number
  readonly durationMs: number
}

/** What one specialist brought. */
export interface AgentContribution {
  readonly agent: string
  readonly runs: number
  readonly failures: number
  readonly findings: number
  readonly citations: number
  readonly files: number
}

/** Whether enough criteria hold for a partial result to be a good one. */
export interface PartialQuality {
  readonly isGood: boolean
  readonly criteriaMet: number
  readonly criteria: number
  /** `3 of 4 criteria hold, the critical questions among them`. */
  readonly why: string
}

/** What the state of a research run says. */
export function researchResult(state: State): ResearchResult {
  const research = researchOf(state)
  const settings = wholeResearchSettings(recordedSettings(state.config.loop.settings))
  const last = research.convergences.at(-1)
  const isOver = state.status === 'completed' || state.status === 'stopped' || state.status === 'aborted'
  const live = liveFindings(research)
  const status = last?.status === 'FULL' ? 'FULL' : isOver ? 'PARTIAL' : (last?.status ?? 'not_converged')
  return {
    goal: settings.goal,
    status,
    ...(status === 'PARTIAL' && last ? { partial: partialQuality(last.criteria, settings.partial) } : {}),
    ...(research.strategy ? { strategy: research.strategy } : {}),
    questions: research.questions,
    findings: live,
    withdrawn: research.findings.filter((finding) => !live.includes(finding)),
    findingsDropped: research.findingsDropped,
    conflicts: research.conflicts,
    needsReview: research.nominations.filter((pair) => pair.status === 'needs review'),
    gaps: research.gaps,
    coverage: coverageNow(research, settings),
    confidence: averageConfidence(research),
    convergences: research.convergences,
    unmet: last ? unmetCriteria(last) : [],
    metrics: cumulative(state),
    contributions: contributionsOf(state),
    effectiveness: research.effectiveness,
    uncertainties: uncertaintiesOf(state),
    crossReferences: crossReferences(research.findings),
    timesPutBack: research.timesPutBack,
  }
}

function partialQuality(criteria: readonly CriterionResult[], rule: PartialRule): PartialQuality {
  const met = criteria.filter(({ passed }) => passed).length
  const isAnswered = criteria.every(({ criterion, passed }) => criterion !== 'questions' || passed)
  const isEnough = criteria.length > 0 && met / criteria.length >= rule.criteriaShareMin
  const questions = isAnswered ? 'the critical questions are answered' : 'not all critical questions are answered'
  return {
    isGood: isEnough && (isAnswered || !rule.needsCriticalQuestions),
    criteriaMet: met,
    criteria: criteria.length,
    why: `${met} of ${criteria.length} criteria hold, ${questions}`,
  }
}

/** Share of research runs that converged fully, out of those that are over; `undefined` where none is. */
export function convergenceRate(results: readonly Pick<ResearchResult, 'status'>[]): number | undefined {
  const over = results.filter(({ status }) => status !== 'not_converged')
  return over.length === 0 ? undefined : over.filter(({ status }) => status === 'FULL').length / over.length
}

function cumulative(state: State): CumulativeMetrics {
  const { convergences, verifiedFiles, findings } = researchOf(state)
  const sum = (measure: (metrics: IterationMetrics) => number): number =>
    convergences.reduce((total, { metrics }) => total + measure(metrics), 0)
  return {
    iterations: convergences.at(-1)?.iteration ?? 0,
    agents: sum(({ agents }) => agents),
    agentsFailed: sum(({ agentsFailed }) => agentsFailed),
    files: verifiedFiles.length,
    findings: findings.length,
    citations: sum(({ citationsAdded }) => citationsAdded),
    citationsRefuted: sum(({ citationsRefuted }) => citationsRefuted),
    durationMs: sum(({ durationMs }) => durationMs),
  }
}

function contributionsOf(state: State): readonly AgentContribution[] {
  const { agentRuns, findings } = researchOf(state)
  return agentRuns.map(({ agent, runs, failures }) => {
    const cited = findings.flatMap(({ citations }) => citations.filter((each) => each.agent === agent && isVerified(each)))
    return {
      agent,
      runs,
      failures,
      findings: findings.filter(({ sourceAgents }) => sourceAgents.includes(agent)).length,
      citations: cited.length,
      files: new Set(cited.map(({ file }) => file)).size,
    }
  })
}

/** What agents told, and what can be seen: low confidence, conflicts, what was not explored. */
function uncertaintiesOf(state: State): readonly Uncertainty[] {
  const { gaps, uncertainties, nominations } = researchOf(state)
  const seen = gaps.map(({ area, reason, iterationFound }) => ({ area, reason, iteration: iterationFound }))
  const pairs = nominations
    .filter(({ status }) => status === 'needs review')
    .map(({ findings, why }) => ({ area: findings.join(' and '), reason: `needs review: ${why}`, iteration: 0 }))
  return [...seen, ...pairs, ...uncertainties]
}
