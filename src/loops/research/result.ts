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
import type { Criterion, PartialRule, QuestionKind } from './rules.ts'
import type { CoverageEstimate } from './coverage.ts'
import { type CrossReference, crossReferences, type Finding, isVerified } from './finding.ts'
import { coverageNow } from './gap.ts'
import { type Effectiveness, wholeResearchSettings } from './settings.ts'
import { recordedSettings } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import type { SeedCheckpoint, SeedConvergenceStatus, SeedFinding, SeedGap } from './seed-checkpoint.ts'
import { addedUp } from './select-agents.ts'

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

/** What agents reported, and what can be seen: low confidence, conflicts, what was not explored. */
function uncertaintiesOf(state: State): readonly Uncertainty[] {
  const { gaps, uncertainties, nominations } = researchOf(state)
  const seen = gaps.map(({ area, reason, iterationFound }) => ({ area, reason, iteration: iterationFound }))
  const pairs = nominations
    .filter(({ status }) => status === 'needs review')
    .map(({ findings, why }) => ({ area: findings.join(' and '), reason: `needs review: ${why}`, iteration: 0 }))
  return [...seen, ...pairs, ...uncertainties]
}

/** A checkpoint of the last iteration that ended, in the seed's shape. What the shape has no place for stays in the journal. */
export function checkpointOf(state: State): SeedCheckpoint {
  const research = researchOf(state)
  const settings = wholeResearchSettings(recordedSettings(state.config.loop.settings))
  const last = research.convergences.at(-1)
  const analysed = [...new Set([...research.namedFiles, ...research.verifiedFiles])]
  return {
    session_id: state.run,
    iteration: last?.iteration ?? research.iterationsBefore ?? 0,
    timestamp: new Date(state.at).toISOString().replace('.000Z', 'Z'),
    findings: liveFindings(research).map(findingOf),
    coverage: last?.coverage ?? research.checkpointCoverage ?? coverageNow(research, settings).coverage,
    files_analyzed: analysed,
    unresolved_conflicts: last?.unresolvedConflicts ?? research.checkpointConflicts ?? 0,
    convergence_status: STATUS[last?.status ?? 'not_converged'],
    gaps_identified: research.gaps.map(gapOf),
  }
}

const STATUS: Readonly<Record<'not_converged' | 'FULL' | 'PARTIAL', SeedConvergenceStatus>> = {
  not_converged: 'not_converged',
  FULL: 'full_convergence',
  PARTIAL: 'partial_convergence',
}

function findingOf({ id, description, confidence, citations, sourceAgents, iterationDiscovered }: Finding): SeedFinding {
  const places = citations.filter(({ status }) => status !== 'refuted').map(({ file, line }) => `${file}:${line}`)
  return {
    id,
    description,
    confidence,
    citations: [...new Set(places)],
    source_agents: sourceAgents,
    iteration_discovered: iterationDiscovered,
  }
}

function gapOf({ kind, finding, reason }: Gap): SeedGap {
  return { type: kind, ...(finding === undefined ? {} : { finding_id: finding }), reason }
}

/** What all research runs together say. */
export interface ResearchStatistics {
  readonly runs: number
  /** Those that are over. */
  readonly over: number
  readonly full: number
  /** Share of those that are over that converged fully; absent where none is. */
  readonly convergenceRate?: number
  readonly effectiveness: readonly Effectiveness[]
  readonly proposals: readonly ThresholdProposal[]
}

/** A threshold that runs of one kind of question miss again and again. It is only reported: nothing changes by itself. */
export interface ThresholdProposal {
  /** Of the run's first question. */
  readonly kind: QuestionKind
  readonly criterion: Criterion
  readonly threshold: number
  readonly proposed: number
  /** Runs that missed this criterion and no other, out of those of the kind that are over. */
  readonly missed: number
  readonly over: number
}

/** Adds up results of research, those of runs that are under way among them. */
export function researchStatistics(results: readonly ResearchResult[]): ResearchStatistics {
  const over = results.filter(({ status }) => status !== 'not_converged')
  const rate = convergenceRate(results)
  return {
    runs: results.length,
    over: over.length,
    full: over.filter(({ status }) => status === 'FULL').length,
    ...(rate === undefined ? {} : { convergenceRate: rate }),
    effectiveness: addedUp(over.map(({ effectiveness }) => effectiveness)),
    proposals: KINDS.flatMap((kind) => proposalsFor(kind, over)),
  }
}

const KINDS: readonly QuestionKind[] = ['feasibility', 'architecture', 'location', 'rationale']
/** Fewer runs say nothing. */
const RUNS_MIN = 5
/** Conflicts and questions are not a matter of degree. */
const CRITERIA: readonly Criterion[] = ['coverage', 'confidence']
const STEP = 0.05

/** Where half of the runs of a kind or more miss one criterion only, what the middle one of them reached. */
function proposalsFor(kind: QuestionKind, over: readonly ResearchResult[]): readonly ThresholdProposal[] {
  const own = over.filter(({ questions }) => questions[0]?.kind === kind)
  if (own.length < RUNS_MIN) return []
  return CRITERIA.flatMap((criterion) => {
    const missing = own.filter(({ unmet }) => unmet.length === 1 && unmet[0] === criterion)
    if (missing.length * 2 < own.length) return []
    const reached = missing.flatMap(({ convergences }) => {
      const result = convergences.at(-1)?.criteria.find((each) => each.criterion === criterion)
      return result ? [result] : []
    })
    const middle = reached.toSorted((one, other) => one.value - other.value)[Math.floor((reached.length - 1) / 2)]
    const proposed = Math.floor((middle?.value ?? 0) / STEP + 1e-9) * STEP
    if (!middle || proposed <= 0) return []
    const counts = { missed: missing.length, over: own.length }
    return [{ kind, criterion, threshold: middle.threshold, proposed: Math.round(proposed * 100) / 100, ...counts }]
  })
}
