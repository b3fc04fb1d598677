import type { EffectKey } from '../../core/effect.ts'
import type { Seq } from '../../core/event.ts'
import type { KnownTree } from '../../core/state.ts'
import type { AgentAnswer } from './agent-answer.ts'
import type { AssignmentProgress } from './assignment.ts'
import type { Conflict, Nomination } from './conflict.ts'
import type { Convergence } from './convergence.ts'
import type { RelevantFile } from './coverage.ts'
import type { Citation, Finding } from './finding.ts'
import type { Gap, GapKind } from './gap.ts'
import type { JudgeVerdict } from './judge-verdict.ts'
import type { ProposedQuestion } from './proposed-question.ts'
import type { ResearchQuestion } from './research-question.ts'
import type { StrategyName } from './research-rules.ts'

/** Where a research loop stands: a fold of its facts, bounded however long it runs. */
export interface ResearchProgress {
  readonly questions: readonly ResearchQuestion[]
  /** What an agent proposed as the questions of the prompt, until they are on record. */
  readonly proposed?: readonly ProposedQuestion[]
  readonly strategy?: ChosenStrategy
  /** The last estimate of the relevant files. */
  readonly estimate?: { readonly seq: Seq; readonly files: readonly RelevantFile[]; readonly filesTotal: number }
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
  /** Iterations before this run, where it goes on from a checkpoint. Default 0. */
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

/** How often a specialist was sent for a kind of gap, and how often that closed it. */
export interface Effectiveness {
  readonly kind: GapKind
  readonly role: string
  readonly tried: number
  readonly closed: number
}

/** How many files are remembered as read. */
export const FILES_KNOWN_MAX = 5000

/** How many uncertainties that agents told are kept; the oldest are forgotten first. */
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
