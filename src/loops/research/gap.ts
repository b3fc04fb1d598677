import type { Seq } from '../../core/event.ts'

/** What can be missing. The names are those of the seed's configuration. */
export type GapKind =
  | 'coverage_gap'
  | 'confidence_gap'
  | 'conflicting_findings'
  | 'missing_context'
  | 'unanswered_critical_questions'
  | 'pattern_uncertainty'
  | 'security_concern'
  | 'performance_concern'

/** All kinds, in the order in which they are looked for. */
export const GAP_KINDS: readonly GapKind[] = [
  'unanswered_critical_questions',
  'security_concern',
  'coverage_gap',
  'conflicting_findings',
  'confidence_gap',
  'missing_context',
  'performance_concern',
  'pattern_uncertainty',
]

/** 1 is always addressed, 2 while iterations remain, 3 when there is room. */
export type GapPriority = 1 | 2 | 3

/** Why a finding is not believed enough. */
export type ConfidenceReason = 'missing_evidence' | 'conflict' | 'unclear_pattern'

/** What is known of a missing context. */
export type ContextIndicator =
  | 'component_interaction_unknown'
  | 'data_flow_not_traced'
  | 'integration_points_missing'
  | 'dependency_graph_incomplete'

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

/** What becomes of a gap whose agent failed. */
export const AGENT_FAILURE = 'unresolved - agent failure'

/** How many files a gap names. */
export const GAP_FILES_MAX = 40

/** How many open gaps a run keeps; those of the least priority are left out, and counted. */
export const GAPS_MAX = 200
