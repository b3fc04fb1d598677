import type { ModelClass } from './assignment.ts'
import type { Criterion } from './convergence.ts'
import type { ConfidenceReason, GapKind, GapPriority } from './gap.ts'

/**
 * Everything that decides how research goes, as data: thresholds, kinds of gaps, roles, prompt modifiers, priorities, strategies.
 * `DEFAULT_RESEARCH_RULES` is the one default configuration.
 */
export interface ResearchRules {
  /** Iterations at most. Default: those of the chosen strategy (2, 3 or 4). */
  readonly iterationsMax?: number
  /** No strategy does more iterations than this; one that does fewer keeps to its own. Default: no cap. */
  readonly iterationsCap?: number
  /** How long an agent may work in an iteration, whatever its role allows. Default: as its role says. */
  readonly iterationTimeoutMs?: number
  /** How often an agent that failed is sent once more in the same iteration. Default 0: its gap is left to the next one. */
  readonly agentRetriesMax?: number
  /** Iterations before it may end as converged. Default 1. */
  readonly iterationsMin: number
  /** Agents at work in one iteration. Default 3. */
  readonly agentsMax: number
  /** Iterations in a row without a new finding before it ends. Default 2. */
  readonly emptyIterationsMax: number
  /** How often a gap is given to an agent before it is no longer actionable. Default 2. */
  readonly gapAttemptsMax: number
  /** How many gaps of one kind one agent is sent for. Default 5. */
  readonly gapsPerAgentMax: number
  /** `auto` (default) chooses by the words of the question and the number of relevant files. */
  readonly strategy: 'auto' | StrategyName
  /** Roles of the first iteration in place of the strategy's, however many. Default: the strategy's, at most `agentsMax`. */
  readonly cohort?: readonly string[]
  readonly criteria: Readonly<Record<Criterion, CriterionRule>>
  /** The end for exceptional quality; criteria 3 and 4 must hold as well. */
  readonly early: { readonly enabled: boolean; readonly coverageMin: number; readonly confidenceMin: number }
  /** Whether it may end without all criteria; where not, a person is asked. */
  readonly partial: PartialRule
  readonly gaps: Readonly<Record<GapKind, GapRule>>
  readonly specialists: Readonly<Record<SpecialistTask, SpecialistRule>>
  readonly roles: Readonly<Record<string, RoleRule>>
  readonly strategies: Readonly<Record<StrategyName, StrategyRule>>
  readonly confidence: ConfidenceRule
  readonly conflicts: ConflictRule
  /** Who finds the questions in the prompt. Default `rules`. */
  readonly questionsBy: 'rules' | 'agent'
  /** What makes a file count as analysed: a citation in it that was verified (default), or an agent's word. */
  readonly coverageBy: 'verified' | 'named'
  /** The least confidence of a finding that answers a question. Default 0.65. */
  readonly answerConfidenceMin: number
}

export type StrategyName = 'narrow' | 'broad' | 'comprehensive'

/** What a specialist is sent for: a kind of gap (a confidence gap by its reason), the first look, or a forced exploration. */
export type SpecialistTask = Exclude<GapKind, 'confidence_gap'> | `confidence_gap:${ConfidenceReason}` | 'initial' | 'forced'

export interface CriterionRule {
  readonly enabled: boolean
  /** At least this much; for conflicts at most. */
  readonly threshold: number
}

export interface PartialRule {
  readonly enabled: boolean
  /** Share of the criteria that make a good partial result; only said, it does not decide. Default 0.75. */
  readonly criteriaShareMin: number
  readonly needsCriticalQuestions: boolean
}

export interface GapRule {
  readonly enabled: boolean
  /** `auto` (default) is the rule of the seed: see the page of the research loop. */
  readonly priority: 'auto' | GapPriority
  /** Below this the gap is there; its meaning is the kind's. */
  readonly threshold?: number
  /** The same for one finding by itself. */
  readonly individualThreshold?: number
  /** Words that raise the concern. */
  readonly keywords?: readonly string[]
}

export interface SpecialistRule {
  readonly role: string
  readonly model: ModelClass
  /** What is added to the role's prompt; `{placeholders}` are filled in. */
  readonly modifier: string
  readonly timeoutMs?: number
}

export interface RoleRule {
  /** The name in displays and reports: `ExploreAgent`. */
  readonly name: string
  /** The name by which a lead agent spawns it. */
  readonly subagentType: string
  /** The base of its prompt. */
  readonly description: string
  readonly model: ModelClass
  readonly timeoutMs?: number
  /** Words of the question that bring it into the first cohort. */
  readonly keywords: readonly string[]
  /** Whether every first cohort has it. */
  readonly isAlwaysIncluded: boolean
}

export interface StrategyRule {
  readonly roles: readonly string[]
  readonly iterationsMax: number
  readonly filesMax: number
  /** Words of the question that choose it. */
  readonly words: readonly string[]
  /** Chosen when this many files at most are relevant, where no word decides. */
  readonly relevantFilesMax: number
}

/** Anchors and terms of a finding's confidence. */
export interface ConfidenceRule {
  /** Verified, and the agent says that the lines themselves show it. */
  readonly direct: number
  /** Verified word for word. */
  readonly supporting: number
  /** Verified, but moved or without telling words. */
  readonly weak: number
  /** Nothing verified, but places were named. */
  readonly structure: number
  /** Nothing but an agent's word. */
  readonly inference: number
  /** Every citation was refuted. */
  readonly refuted: number
  /** Added once two independent agents have verified evidence of their own: two roles that one driver and model plays are one. */
  readonly independentBonus: number
  /** The most that a finding in an open conflict has. */
  readonly conflictMax: number
  readonly refutedPenalty: number
  readonly refutedPenaltyMax: number
  /** Taken off for each iteration without confirmation after `ageIterationsFree`, where there is no verified evidence. */
  readonly agePenalty: number
  readonly ageIterationsFree: number
  readonly agePenaltyMax: number
  /** A snippet with fewer letters and digits shows nothing: the citation is weak. */
  readonly snippetLengthMin: number
}

export interface ConflictRule {
  /** The seed's rule, off by default: findings on the same topic whose cosine is below this are a conflict. */
  readonly cosineMax?: number
  /** Whether an agent (the role `judge`) decides pairs that only similarity nominates. Default false: they need review. */
  readonly judge: boolean
  /** Pairs of free-text findings at least this similar are looked at. Default 0.4. */
  readonly nominationSimilarityMin: number
  /** Free-text findings at least this similar, with the same numbers and negations, are the same. Default 0.8. */
  readonly sameSimilarityMin: number
}
