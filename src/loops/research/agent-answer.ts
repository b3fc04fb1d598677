import type { CitedPlace, Claim, EvidenceKind, Impact } from './finding.ts'
import type { ContextIndicator } from './gap.ts'
import type { QuestionStatus } from './research-question.ts'

/** What an agent answers with: one JSON object of this shape. `readAgentAnswer` validates it. */
export interface AgentAnswer {
  readonly findings: readonly AnswerFinding[]
  /** Paths of the files it read. */
  readonly files: readonly string[]
  /** How far the questions are answered, by their ids. */
  readonly questions: readonly AnswerQuestion[]
  /** What it saw that it does not know: how parts interact, how data flows. */
  readonly unknowns: readonly AnswerUnknown[]
  /** How conflicts end that it was asked to settle. */
  readonly resolutions: readonly AnswerResolution[]
  readonly uncertainties: readonly AnswerUncertainty[]
}

export interface AnswerFinding {
  readonly description: string
  readonly impact: Impact
  readonly category: string
  readonly citations: readonly CitedPlace[]
  readonly evidence?: EvidenceKind
  readonly confidence?: number
  readonly claims?: readonly Claim[]
  /** Ids of the questions it answers. */
  readonly answers?: readonly string[]
}

export interface AnswerQuestion {
  readonly id: string
  readonly status: QuestionStatus
  readonly missing?: string
}

export interface AnswerUnknown {
  readonly indicator: ContextIndicator
  readonly area: string
}

export interface AnswerResolution {
  readonly conflict: string
  /** The id of the finding that holds, `both` or `neither`. */
  readonly keep: string
  readonly reason: string
  readonly citations: readonly CitedPlace[]
}

export interface AnswerUncertainty {
  readonly area: string
  readonly reason: string
}

/** How many findings one answer may have. */
export const ANSWER_FINDINGS_MAX = 1000

/** How long a text of an answer may be; what is longer is cut, and stands whole in the agent's output. */
export const ANSWER_TEXT_LENGTH_MAX = 1000

/** How much of a quoted snippet is kept: its beginning stands where the whole stands. */
export const SNIPPET_LENGTH_MAX = 400
