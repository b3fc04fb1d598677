import type { EffectKey } from '../../core/event-data.ts'
import type { AgentAnswer, JudgeAnswer, JudgeVerdict, ProposedQuestion } from './answer.ts'
import type {
  AgentAssignment,
  ChosenStrategy,
  Conflict,
  ConflictResolution,
  Convergence,
  Decoy,
  GapSeen,
  Nomination,
  ReadStatement,
  ResearchProgress,
} from './progress.ts'
import type { NeededPlace, RelevantFile } from './coverage.ts'
import type { CitedPlace, Finding, Judgement } from './finding.ts'
import type { Statement } from './judging.ts'
import type { AGENT_FAILURE } from './progress.ts'
import type { SeedCheckpoint } from './seed-checkpoint.ts'
import type { QuestionKind, QuestionStatus } from './rules.ts'

/** What an agent's JSON is read as. */
export type AnswerForm = 'findings' | 'questions' | 'verdicts' | 'judgements'

/** Which citation: one of an answer that is not integrated yet, or one of a finding. */
export type CitationRef =
  | { readonly answer: number; readonly citation: number }
  | { readonly finding: string; readonly citation: number }

interface AnswerEnd {
  readonly key: EffectKey
  /** The work whose output was read. */
  readonly work: EffectKey
  readonly form: AnswerForm
  /** The assignment it belongs to; absent for questions, verdicts and judgements. */
  readonly index?: number
}

interface CitationEnd {
  readonly of: CitationRef
  readonly file: string
  readonly line: number
}

/** The words of the research loop in the journal. */
export interface ResearchEventData {
  /** A question of the prompt. */
  'question.extracted': {
    readonly id: string
    readonly text: string
    readonly kind: QuestionKind
    readonly isCritical: boolean
    readonly from: 'rules' | 'agent'
  }
  /** How far a question is answered now, and by which findings. */
  'question.answered': {
    readonly id: string
    readonly iteration: number
    readonly status: QuestionStatus
    readonly findings: readonly string[]
    readonly said?: QuestionStatus
    readonly missing?: string
  }
  'strategy.chosen': ChosenStrategy
  /** The relevant files with reasons; at most `RELEVANT_FILES_MAX`. */
  'coverage.estimated': {
    readonly key: EffectKey
    readonly iteration: number
    readonly terms: readonly string[]
    readonly files: readonly RelevantFile[]
    readonly filesTotal: number
    /** What the questions need besides, as Pawl sees it in the code; at most `NEEDS_MAX`. */
    readonly needs?: readonly NeededPlace[]
    readonly notes?: readonly string[]
  }
  /** A specialist is sent, and for what. */
  'specialist.assigned': AgentAssignment & { readonly iteration: number }
  /** An agent's answer is of the right shape. */
  'answer.read': AnswerEnd & {
    readonly findings?: AgentAnswer
    readonly questions?: readonly ProposedQuestion[]
    readonly verdicts?: readonly JudgeVerdict[]
    readonly judgements?: JudgeAnswer
  }
  /** It is not; the errors are sent back once. */
  'answer.refused': AnswerEnd & { readonly errors: readonly string[] }
  'citation.verified': CitationEnd & { readonly status: 'exact' | 'drifted'; readonly note?: string }
  'citation.refuted': CitationEnd & { readonly note: string }
  /** The lines that are cited for statements, as Pawl reads them, and what its own check of them saw. */
  'evidence.read': {
    readonly key: EffectKey
    readonly iteration: number
    readonly statements: readonly ReadStatement[]
    readonly decoy?: Decoy
  }
  /** Somebody other than the author says whether the lines show the statement. */
  'finding.judged': { readonly finding: string; readonly judgement: Judgement }
  /** The judge supported a decoy: nothing that it said counts. */
  'judge.discarded': { readonly iteration: number }
  'finding.recorded': { readonly iteration: number; readonly finding: Finding }
  /** The finding as it is with what was added. */
  'finding.merged': { readonly iteration: number; readonly finding: Finding; readonly agent: string }
  'conflict.raised': { readonly conflict: Conflict }
  /** Needs review: similarity alone decides nothing. */
  'conflict.nominated': { readonly nomination: Nomination }
  /** A judge decided that a pair is no contradiction. */
  'conflict.dismissed': { readonly pair: string; readonly iteration: number; readonly reason: string }
  'conflict.resolved': ConflictResolution & { readonly conflict: string }
  /** Everything the agents of an iteration brought is in. */
  'findings.integrated': {
    readonly iteration: number
    readonly recorded: number
    readonly merged: number
    readonly skipped: number
    readonly dropped: number
    readonly citationsAdded: number
    readonly citationsRefuted: number
    readonly filesNew: number
    /** What the integration could not use, and why. */
    readonly notes: readonly string[]
  }
  /** A gap, or one that is known and looks different now. */
  'gap.found': { readonly gap: string; readonly iteration: number; readonly seen: GapSeen }
  'gap.closed': { readonly gap: string; readonly iteration: number; readonly reason: string }
  /** It waits for another iteration. */
  'gap.deferred': { readonly gap: string; readonly iteration: number; readonly reason: string }
  /** The agent that was sent for it failed; the others continue. */
  'gap.unresolved': {
    readonly gap: string
    readonly iteration: number
    readonly reason: typeof AGENT_FAILURE
    readonly agent: string
    readonly message: string
  }
  'convergence.measured': Convergence
  /** The run continues from where another one was exported. */
  'checkpoint.imported': { readonly checkpoint: SeedCheckpoint }
}

/** Reads what an agent answered, as JSON of the form that was asked for. */
export interface AnswerEffect {
  readonly kind: 'answer'
  readonly key: EffectKey
  readonly iteration: number
  readonly work: EffectKey
  readonly form: AnswerForm
  readonly index?: number
}

/** Reads the lines that are cited for statements, and looks whether they are the declaration or the call site that is asked for. */
export interface EvidenceEffect {
  readonly kind: 'evidence'
  readonly key: EffectKey
  readonly iteration: number
  readonly goal: string
  readonly statements: readonly Statement[]
  /** Whether a judge will be asked: then a decoy is put among them. */
  readonly isForJudge: boolean
}

/** Verifies citations in the codebase, then estimates which files are relevant; files it finds cited rightly count as cited. */
export interface ExamineEffect {
  readonly kind: 'examine'
  readonly key: EffectKey
  readonly iteration: number
  readonly citations: readonly (CitedPlace & { readonly of: CitationRef })[]
  readonly terms: readonly string[]
  readonly cited: readonly string[]
  readonly filesMax: number
  /** What is asked, for the places that an answer has to have seen. */
  readonly goal: string
  readonly questions: readonly NonNullable<Statement['question']>[]
}

declare global {
  namespace Pawl {
    interface LoopEvents extends ResearchEventData {}
    interface LoopSlices {
      /** Where a research loop is. */
      readonly research: ResearchProgress
    }
    interface LoopEffects {
      readonly answer: AnswerEffect
      readonly examine: ExamineEffect
      readonly evidence: EvidenceEffect
    }
  }
}
