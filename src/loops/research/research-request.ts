import type { GapKind } from './gap.ts'
import type { Citation, Impact } from './finding.ts'
import type { QuestionKind, QuestionStatus } from './research-question.ts'

/**
 * What a specialist is asked for, as data. A prompt ends with it in a fenced block whose info string is `research-request`, so that an agent
 * without a model (the explorer) reads the same request that a model reads in words.
 */
export interface ResearchRequest {
  readonly question: string
  /** The terms that the files were estimated from. */
  readonly terms: readonly string[]
  readonly questions: readonly {
    readonly id: string
    readonly text: string
    readonly kind: QuestionKind
    readonly status: QuestionStatus
  }[]
  /** `explore`, `citation`, `pattern`, `verification`, `security`, `performance` or a role of the user's own. */
  readonly role: string
  readonly iteration: number
  /** What to look at, in sentences. */
  readonly focus: string
  readonly gaps: readonly RequestGap[]
  /** Relevant files that nobody has looked at, the most relevant first. */
  readonly missingFiles: readonly string[]
  readonly analysedFiles: readonly string[]
  /** What is known already, the most important first. */
  readonly findings: readonly RequestFinding[]
}

export interface RequestGap {
  readonly kind: GapKind
  /** What it is about. */
  readonly area: string
  readonly finding?: string
  readonly question?: string
  readonly conflict?: string
  /** The two sides of the conflict. */
  readonly sides?: readonly { readonly finding: string; readonly value: string }[]
  readonly files?: readonly string[]
}

export interface RequestFinding {
  readonly id: string
  readonly description: string
  readonly confidence: number
  readonly impact: Impact
  readonly category: string
  readonly citations: readonly Pick<Citation, 'file' | 'line' | 'snippet' | 'status'>[]
}

/** The info string of the fenced block that holds the request. */
export const RESEARCH_REQUEST_FENCE = 'research-request'
