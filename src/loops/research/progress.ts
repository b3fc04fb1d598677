import type {
  ConfidenceReason,
  ContextIndicator,
  Criterion,
  GapKind,
  GapPriority,
  ModelClass,
  QuestionKind,
  QuestionStatus,
  StrategyName,
} from './rules.ts'
import type { Effectiveness, WholeResearchSettings } from './settings.ts'
import { effectKey } from '../../core/effect.ts'
import type { EffectKey } from '../../core/event-data.ts'
import type { Seq } from '../../core/event.ts'
import type { KnownTree, State } from '../../core/state.ts'
import type { AgentAnswer, JudgeAnswer, JudgeVerdict, ProposedQuestion } from './answer.ts'
import type { NeededPlace, RelevantFile } from './coverage.ts'
import { type Citation, type Finding, isLive, type Passage, standingOf } from './finding.ts'
import type { Verdict } from '../../core/verdict.ts'

/** Where a research loop is: a fold of its facts, bounded however long it runs. */
export interface ResearchProgress {
  readonly questions: readonly ResearchQuestion[]
  /** What an agent proposed as the questions of the prompt, until they are on record. */
  readonly proposed?: readonly ProposedQuestion[]
  readonly strategy?: ChosenStrategy
  /** The last estimate of the relevant files. */
  readonly estimate?: {
    readonly seq: Seq
    readonly files: readonly RelevantFile[]
    readonly filesTotal: number
    /** What the questions need besides, as far as Pawl can see it in the code. Default: nothing is known. */
    readonly needs?: readonly NeededPlace[]
  }
  /** Files with a verified citation, and files that agents say they read; each at most `FILES_KNOWN_MAX`. */
  readonly verifiedFiles: readonly string[]
  readonly namedFiles: readonly string[]
  /** At most `FINDINGS_MAX`. */
  readonly findings: readonly Finding[]
  /** Findings that were not kept because there were too many. */
  readonly findingsDropped: number
  readonly conflicts: readonly Conflict[]
  readonly nominations: readonly Nomination[]
  readonly verdicts?: readonly JudgeVerdict[]
  /** Open gaps; closed ones are in the journal. */
  readonly gaps: readonly Gap[]
  readonly gapsClosed: number
  /** Numbers given out so far. */
  readonly lastIds: LastIds
  /** Iterations before this run, where it continues from a checkpoint. Default 0. */
  readonly iterationsBefore?: number
  /** Coverage and conflicts as that checkpoint says, until they are measured here. */
  readonly checkpointCoverage?: number
  readonly checkpointConflicts?: number
  /** The iteration that `assignments`, `answers` and `integrated` belong to. */
  readonly iteration: number
  readonly assignments: readonly AssignmentProgress[]
  /** Accepted answers of the iteration, until they are integrated. */
  readonly answers: readonly PendingAnswer[]
  readonly integrated?: IntegratedFacts
  /** What is being judged in this iteration. */
  readonly judging?: Judging
  readonly uncertainties: readonly Uncertainty[]
  /** What every iteration came to, the newest last. */
  readonly convergences: readonly Convergence[]
  /** Iterations in a row that brought no new finding. */
  readonly emptyIterations: number
  /** The iteration of the forced exploration, once there was one. */
  readonly forcedIn?: number
  /** How often each specialist was sent, and failed. */
  readonly agentRuns: readonly AgentRuns[]
  readonly effectiveness: readonly Effectiveness[]
  /** The tree that agents must leave as it is. */
  readonly clean?: KnownTree
  /** How often agents changed files that were then put back. */
  readonly timesPutBack: number
}

export interface ChosenStrategy {
  readonly strategy: StrategyName
  readonly iterationsMax: number
  readonly filesMax: number
  readonly roles: readonly string[]
  readonly reason: string
}

export interface LastIds {
  readonly finding: number
  readonly gap: number
  readonly conflict: number
  readonly pair: number
}

/** An answer whose citations are being verified. */
export interface PendingAnswer {
  readonly index: number
  readonly agent: string
  readonly work: EffectKey
  readonly answer: AgentAnswer
  /** Citations of its findings and then of its resolutions, in order: `findings[i]` has those whose `of` is `i`. */
  readonly citations: readonly PendingCitation[]
}

export interface PendingCitation extends Citation {
  /** Place of the finding in the answer; resolutions are counted on from there. */
  readonly of: number
}

/** A statement, and the lines that are cited for it as Pawl reads them. */
export interface ReadStatement {
  readonly finding: string
  /** The id of the question that it answers; absent for one that answers none. */
  readonly question?: string
  readonly passages: readonly Passage[]
  /** What Pawl's own check saw, if the question only asks for a place: ``declares `loginUser` ``. */
  readonly shows?: string
  /** Set if the statement says no more than what the check saw. */
  readonly isShownWhole?: true
}

/** A statement with lines from elsewhere, put among the others: whoever says that they support it didn't read them. */
export interface Decoy {
  /** Its place among the statements for the judge, counted from 0. */
  readonly place: number
  /** The statement whose words it has: an index of `statements`. */
  readonly of: number
  readonly passage: Passage
}

/** The statements that are judged now, and what the judge said so far. */
export interface Judging {
  readonly statements: readonly ReadStatement[]
  readonly decoy?: Decoy
  /** What the judge answered; absent until then. */
  readonly answer?: JudgeAnswer
  /** What was wrong with its answer. */
  readonly errors?: readonly string[]
  /** Set after the judge supported a decoy: nothing that it said counts. */
  readonly isDiscarded?: true
}

/** What integrating an iteration came to. */
export interface IntegratedFacts {
  readonly seq: Seq
  readonly recorded: number
  readonly merged: number
  readonly skipped: number
  readonly citationsAdded: number
  readonly citationsRefuted: number
  readonly filesNew: number
}

/** Something that is not known well enough. */
export interface Uncertainty {
  readonly area: string
  readonly reason: string
  readonly agent?: string
  readonly iteration: number
}

/** How often a specialist was sent, over the iterations. */
export interface AgentRuns {
  readonly agent: string
  readonly runs: number
  readonly failures: number
}

/** How many files are remembered as read. */
export const FILES_KNOWN_MAX = 5000

/** How many uncertainties that agents reported are kept; the oldest are forgotten first. */
export const UNCERTAINTIES_MAX = 100

/** Before anything was asked. */
export const initialResearch: ResearchProgress = {
  questions: [],
  verifiedFiles: [],
  namedFiles: [],
  findings: [],
  findingsDropped: 0,
  conflicts: [],
  nominations: [],
  gaps: [],
  gapsClosed: 0,
  lastIds: { finding: 0, gap: 0, conflict: 0, pair: 0 },
  iteration: 0,
  assignments: [],
  answers: [],
  uncertainties: [],
  convergences: [],
  emptyIterations: 0,
  agentRuns: [],
  effectiveness: [],
  timesPutBack: 0,
}

/** A specialist and what it is sent for. The prompt is `promptFor` of the loop: a function of this and the state. */
export interface AgentAssignment {
  /** Counted from 0 within the iteration: its results are integrated in this order. */
  readonly index: number
  /** The specialist: `explore`, `citation`, `pattern`, `verification`, `security`, `performance`. */
  readonly role: string
  /** The name by which a lead agent spawns it: `Explore`. */
  readonly subagentType: string
  readonly model: ModelClass
  /** The model's name, if the configuration gives one. */
  readonly modelName?: string
  /** A few words: `Trace JWT validation flow`. */
  readonly description: string
  /** What to look at, in sentences. */
  readonly focus: string
  /** What it is sent for; absent in the first iteration and for a forced exploration. */
  readonly gapKind?: GapKind
  readonly priority?: GapPriority
  /** Ids of the gaps it covers, the main one first. */
  readonly gaps: readonly string[]
  /** Set when nothing was actionable and one broad exploration is made all the same. */
  readonly isForced?: true
}

/** The agents of an iteration, as they are. */
export interface AssignmentProgress extends AgentAssignment {
  /** How often it was asked; a bad answer is sent back once. */
  readonly asked: number
  /** How often it was sent once more because it failed. Default 0. */
  readonly retries?: number
  readonly status: 'at work' | 'answered' | 'failed'
  /** The work whose answer counts. */
  readonly work?: EffectKey
  /** What was wrong with its last answer. */
  readonly errors?: readonly string[]
  /** Why it failed. */
  readonly failure?: string
}

/** The key of the work an agent is asked for now; asked again, it is another one. */
export function workKey(
  iteration: number,
  { role, index, asked, retries = 0 }: Pick<AssignmentProgress, 'role' | 'index' | 'asked' | 'retries'>,
): EffectKey {
  return effectKey(iteration, `${role}${asked === 1 ? '' : '.again'}${retries === 0 ? '' : `.retry${retries}`}`, index)
}

/** The progress of a research loop, also before its first fact. */
export function researchOf({ slices }: State): ResearchProgress {
  return slices?.research ?? initialResearch
}

/** The iteration under way, counted on from the checkpoint where the run continues from one. */
export function researchIterationOf(state: State): number {
  return (researchOf(state).iterationsBefore ?? 0) + state.current.number
}

/** The last iteration allowed: the settings' or the strategy's maximum, and the guard's where that is less, counted on from a checkpoint. */
export function iterationsMaxOf(settings: WholeResearchSettings, state: State): number {
  const own =
    settings.iterationsMax ?? researchOf(state).strategy?.iterationsMax ?? settings.strategies.comprehensive.iterationsMax
  const guard = state.config.guards.find(({ name }) => name === 'maxIterations')?.settings['iterationsMax']
  const before = researchOf(state).iterationsBefore ?? 0
  return before + (typeof guard === 'number' ? Math.min(own, guard) : own)
}

/** What an iteration of research scores: the mean of how far each criterion is met, so that guards see whether it gets better. */
export function researchVerdict(state: State): Verdict {
  const measured = researchOf(state).convergences.at(-1)
  const criteria = measured?.criteria ?? []
  const failing = criteria.filter(({ passed }) => !passed).length
  const reached = criteria.map(({ value, threshold, passed }) =>
    passed ? 1 : threshold === 0 ? 0 : Math.min(value / threshold, threshold / value),
  )
  const score = criteria.length === 0 ? 0 : reached.reduce((sum, share) => sum + share, 0) / criteria.length
  const passed = measured?.status === 'FULL'
  return { passed, score: passed ? 1 : Math.min(score, SCORE_FAILED_MAX), failing }
}

/** What has not converged never scores as what has. */
const SCORE_FAILED_MAX = 0.999

/** Ids of the findings that are in a conflict which is not resolved. */
export function disputedIn({ conflicts }: Pick<ResearchProgress, 'conflicts'>): ReadonlySet<string> {
  return new Set(conflicts.filter(({ resolution }) => !resolution).flatMap(({ sides }) => sides.map(({ finding }) => finding)))
}

/** The findings that still count: not given up for another, and not refuted by a judge. */
export function liveFindings({ findings }: Pick<ResearchProgress, 'findings'>): readonly Finding[] {
  return findings.filter((finding) => isLive(finding) && standingOf(finding) !== 'refuted')
}

/**
 * The mean confidence of the findings that answer a question or were judged; of all if none does. What is only told beside the questions, and
 * that nobody has judged, makes an answer neither better nor worse. 0 if nothing was found.
 */
export function averageConfidence(research: Pick<ResearchProgress, 'findings'>): number {
  const live = liveFindings(research)
  const meant = live.filter(({ answers = [], judgements = [] }) => answers.length > 0 || judgements.length > 0)
  const counted = meant.length > 0 ? meant : live
  const sum = counted.reduce((total, { confidence }) => total + confidence, 0)
  return counted.length === 0 ? 0 : Math.round((sum / counted.length) * 10_000) / 10_000
}

export interface CriterionResult {
  readonly criterion: Criterion
  readonly value: number
  /** At least this much; for conflicts at most. */
  readonly threshold: number
  readonly passed: boolean
}

/** How an iteration compares with the criteria. */
export interface Convergence {
  readonly iteration: number
  readonly iterationsMax: number
  readonly coverage: number
  readonly filesAnalysed: number
  readonly filesRelevant: number
  readonly confidence: number
  readonly unresolvedConflicts: number
  /** Pairs in free words that nobody has judged; they do not count. */
  readonly needsReview: number
  readonly questionsAnswered: number
  readonly questionsCritical: number
  readonly criteria: readonly CriterionResult[]
  readonly status: ConvergenceStatus
  /** `EXIT` ends the research; `reason` says why, or why it continues. */
  readonly action: 'CONTINUE' | 'EXIT'
  readonly reason: string
  /** Set when it ends early for its quality, with the iterations that were not needed. */
  readonly early?: { readonly iterationsSkipped: number }
  /** Agents of this iteration that failed: what they were sent for is still open. */
  readonly agentFailures: readonly string[]
  readonly metrics: IterationMetrics
}

/** The criteria that do not hold. */
export function unmetCriteria({ criteria }: Pick<Convergence, 'criteria'>): readonly Criterion[] {
  return criteria.filter(({ passed }) => !passed).map(({ criterion }) => criterion)
}

/** `PARTIAL` only once the research is over without all criteria. */
export type ConvergenceStatus = 'not_converged' | 'FULL' | 'PARTIAL'

/** What one iteration brought. */
export interface IterationMetrics {
  readonly iteration: number
  readonly agents: number
  readonly agentsFailed: number
  readonly filesNew: number
  readonly findingsNew: number
  readonly findingsMerged: number
  readonly duplicatesSkipped: number
  readonly citationsAdded: number
  readonly citationsRefuted: number
  readonly durationMs: number
  readonly coverageGain: number
  readonly confidenceGain: number
}

/** Something that is missing, as the analysis of one iteration says it. */
export interface GapSeen {
  /** The same for the same gap in every iteration: its kind and what it is about. */
  readonly topic: string
  readonly kind: GapKind
  readonly priority: GapPriority
  /** What is missing, in a sentence. */
  readonly reason: string
  /** What it is about, for the prompt and for its rank: a finding's description, a question, an area. */
  readonly area: string
  readonly finding?: string
  readonly question?: string
  readonly conflict?: string
  readonly confidenceReason?: ConfidenceReason
  readonly indicator?: ContextIndicator
  /** Files that would have to be read, at most `GAP_FILES_MAX`. */
  readonly files?: readonly string[]
}

/** A gap with its history. */
export interface Gap extends GapSeen {
  /** `gap-001`, counted over the run. */
  readonly id: string
  readonly seq: Seq
  readonly iterationFound: number
  /** How many agents were sent for it, and how many of these failed. */
  readonly attempts: number
  readonly failures: number
  /** The specialist that was sent last. */
  readonly role?: string
  /** `unresolved - agent failure` until another agent was sent. */
  readonly status: 'open' | 'assigned' | 'deferred' | typeof AGENT_FAILURE
}

/** Two findings that cannot both be right. */
export interface Conflict {
  /** `conflict-001`. */
  readonly id: string
  /** What it is about: subject and attribute, or the words both share. */
  readonly topic: string
  readonly scope?: string
  readonly sides: readonly [ConflictSide, ConflictSide]
  /** How it was found: structured claims that differ, a judge's verdict, or the optional cosine rule. */
  readonly basis: 'claims' | 'judge' | 'cosine'
  /** Why they may differ, where that can be seen: other files were looked at. */
  readonly rootCause?: string
  readonly iterationRaised: number
  readonly resolution?: ConflictResolution
}

export interface ConflictSide {
  readonly finding: string
  readonly value: string
}

/** How a conflict ended. */
export interface ConflictResolution {
  /** The finding that holds; `both` where their scopes differ; `neither`. */
  readonly keep: string
  readonly reason: string
  readonly agent: string
  readonly iteration: number
}

/** Two findings in free words that may contradict each other: shown as "needs review", never counted as a conflict. */
export interface Nomination {
  /** `pair-001`. */
  readonly id: string
  readonly findings: readonly [string, string]
  readonly similarity: number
  /** What made it suspect: another number, a negation. */
  readonly why: string
  /** `needs review` until a judge decided. */
  readonly status: 'needs review' | 'contradiction' | 'no contradiction'
}

/** A question of the prompt, tracked to its answer. */
export interface ResearchQuestion {
  /** `question-1`. */
  readonly id: string
  readonly text: string
  readonly kind: QuestionKind
  /** Whether convergence needs its answer. */
  readonly isCritical: boolean
  readonly status: QuestionStatus
  /** What an agent last said of it; it counts only with verified findings. */
  readonly said?: QuestionStatus
  /** Ids of the findings that answer it, or a part of it. */
  readonly findings: readonly string[]
  /** What is still missing, in an agent's words or ours. */
  readonly missing?: string
}

/** What becomes of a gap whose agent failed. */
export const AGENT_FAILURE = 'unresolved - agent failure'
