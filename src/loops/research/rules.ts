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
  /** How many gaps of one kind one agent is sent for. Default 1. */
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
  /** `auto` is by complexity: `deep` for a question whether or why, and for one in many words. */
  readonly model: ModelClass | 'auto'
  /** What the configuration calls its models: `{ fast: 'haiku' }`. Default: the classes' own names. */
  readonly modelNames?: ModelNames
  /** What is added to the role's prompt; `{placeholders}` are filled in. */
  readonly modifier: string
  readonly timeoutMs?: number
}

/** What a configuration calls the models of the two classes. */
export type ModelNames = Readonly<Partial<Record<ModelClass, string>>>

export interface RoleRule {
  /** The name in displays and reports: `ExploreAgent`. */
  readonly name: string
  /** The name by which the configuration knows it, if that is another one. Default: `name`. */
  readonly agent?: string
  /** The name by which a lead agent spawns it. */
  readonly subagentType: string
  /** The base of its prompt. */
  readonly description: string
  readonly model: ModelClass
  readonly modelNames?: ModelNames
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
  /** Inferred from lines that somebody else judged to support it. Default 0.85. */
  readonly confirmed?: number
  /** The most that a finding has which nobody but its author has judged; always below the threshold of the criterion. Default 0.75. */
  readonly claimedMax?: number
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

const TIMEOUT_MS = 600_000

/** A specialist that looks at what its prompt says, `fast` and only where a word of the question asks for it, unless `more` says otherwise. */
function role(name: string, subagentType: string, description: string, more: Partial<RoleRule> = {}): RoleRule {
  return { name, subagentType, description, model: 'fast', timeoutMs: TIMEOUT_MS, keywords: [], isAlwaysIncluded: false, ...more }
}

/** The specialists and the base of their prompts. */
export const DEFAULT_ROLES: Readonly<Record<string, RoleRule>> = {
  explore: role(
    'ExploreAgent',
    'Explore',
    'You are ExploreAgent, specialized in codebase discovery: which parts there are, what each does and how they connect.',
    { isAlwaysIncluded: true },
  ),
  citation: role(
    'CitationAgent',
    'Citation',
    'You are CitationAgent, specialized in evidence: for every statement the exact file, line and words that show it.',
    { isAlwaysIncluded: true },
  ),
  pattern: role(
    'PatternAgent',
    'Pattern',
    'You are PatternAgent, specialized in recurring structures: conventions, design patterns, and where they are broken.',
    { keywords: ['pattern', 'convention', 'consistent', 'style', 'architecture'] },
  ),
  verification: role(
    'VerificationAgent',
    'Plan',
    'You are the verification agent: you settle what others disagree about by looking at every relevant source yourself.',
    { model: 'deep' },
  ),
  security: role(
    'SecurityAgent',
    'Security',
    'You are SecurityAgent, specialized in security: trust boundaries, authentication, secrets, and what could be abused.',
    {
      model: 'deep',
      keywords: ['authentication', 'authorization', 'security', 'encryption', 'password', 'token', 'credential', 'oauth'],
    },
  ),
  performance: role(
    'PerformanceAgent',
    'Performance',
    'You are PerformanceAgent, specialized in performance: hot paths, needless work, and what grows with the data.',
    { model: 'deep', keywords: ['slow', 'bottleneck', 'optimization', 'performance', 'latency', 'throughput'] },
  ),
}

function fast(who: string, modifier: string): SpecialistRule {
  return { role: who, model: 'fast', modifier }
}

function deep(who: string, modifier: string): SpecialistRule {
  return { role: who, model: 'deep', modifier }
}

const PATTERN = "Deep dive into '{pattern_name}' pattern. Find 3+ concrete examples with similarities and variations."

/** From what is missing to who is sent, how much thought it is worth, and what is added to the prompt. */
export const DEFAULT_SPECIALISTS: Readonly<Record<SpecialistTask, SpecialistRule>> = {
  initial: fast(
    'explore',
    'This is the first look. Begin with these files, which are likely to matter: {missing_file_list}. Answer the questions below as far as the code does.',
  ),
  forced: fast(
    'explore',
    'Nothing in particular is known to be missing, and still the answer is not good enough. Look more widely: {missing_file_list}. Look for what everybody overlooked so far.',
  ),
  coverage_gap: fast(
    'explore',
    'Analyze ONLY these files: {missing_file_list}. Provide patterns and connections to previously analyzed code.',
  ),
  'confidence_gap:missing_evidence': fast(
    'citation',
    "For finding '{low_confidence_finding}', locate exact code implementation with file:line citations and code snippets.",
  ),
  'confidence_gap:unclear_pattern': fast('pattern', PATTERN),
  'confidence_gap:conflict': deep(
    'verification',
    "Finding '{low_confidence_finding}' is disputed. Analyze all relevant sources and provide ground truth with comprehensive citations.",
  ),
  conflicting_findings: deep(
    'verification',
    "Resolve conflict {conflict_id}: {agent_a} found '{finding_a}', {agent_b} found '{finding_b}'. Analyze all relevant sources and provide ground truth with comprehensive citations. Say which holds in \"resolutions\".",
  ),
  missing_context: fast(
    'explore',
    'Trace how {component_a} integrates with {component_b}. Map the complete flow from {start} to {end} with file:line references.',
  ),
  unanswered_critical_questions: fast(
    'explore',
    "Answer this question with evidence from the code: '{question}'. Known so far: {current_findings}. Needed: {needed}.",
  ),
  pattern_uncertainty: fast('pattern', PATTERN),
  security_concern: deep(
    'security',
    "Analyze security implications of '{uncertain_area}'. Check for vulnerabilities, best practices, and provide security recommendations.",
  ),
  performance_concern: deep(
    'performance',
    "Analyze performance characteristics of '{uncertain_area}'. Identify bottlenecks, inefficiencies, and optimization opportunities.",
  ),
}

/** Words that say how much is asked for. */
const WIDE = ['entire', 'whole', 'across', 'comprehensive', 'everything', 'end to end', 'architecture', 'system-wide', 'all of']
const NARROW = ['where is', 'which file', 'what handles', 'this function', 'single', 'specific', 'only']

/** The one default configuration: the seed's numbers, with the rulings where it left a hole. */
export const DEFAULT_RESEARCH_RULES: ResearchRules = {
  iterationsMin: 1,
  agentsMax: 3,
  emptyIterationsMax: 2,
  gapAttemptsMax: 2,
  gapsPerAgentMax: 1,
  strategy: 'auto',
  criteria: {
    coverage: { enabled: true, threshold: 0.7 },
    confidence: { enabled: true, threshold: 0.8 },
    conflicts: { enabled: true, threshold: 2 },
    questions: { enabled: true, threshold: 1 },
  },
  early: { enabled: true, coverageMin: 0.85, confidenceMin: 0.9 },
  partial: { enabled: true, criteriaShareMin: 0.75, needsCriticalQuestions: true },
  gaps: {
    coverage_gap: { enabled: true, priority: 'auto', threshold: 0.7 },
    confidence_gap: { enabled: true, priority: 'auto', threshold: 0.8, individualThreshold: 0.65 },
    conflicting_findings: { enabled: true, priority: 'auto' },
    missing_context: { enabled: true, priority: 'auto' },
    unanswered_critical_questions: { enabled: true, priority: 'auto' },
    pattern_uncertainty: { enabled: true, priority: 'auto', threshold: 0.7 },
    security_concern: {
      enabled: true,
      priority: 'auto',
      threshold: 0.8,
      keywords: ['authentication', 'authorization', 'encryption', 'password', 'token', 'credential'],
    },
    performance_concern: {
      enabled: true,
      priority: 'auto',
      threshold: 0.8,
      keywords: ['slow', 'bottleneck', 'optimization', 'performance', 'latency'],
    },
  },
  specialists: DEFAULT_SPECIALISTS,
  roles: DEFAULT_ROLES,
  strategies: {
    narrow: { roles: ['explore', 'citation'], iterationsMax: 2, filesMax: 5, words: NARROW, relevantFilesMax: 5 },
    broad: { roles: ['explore', 'citation', 'pattern'], iterationsMax: 3, filesMax: 15, words: [], relevantFilesMax: 15 },
    comprehensive: {
      roles: ['explore', 'citation', 'pattern', 'security', 'performance'],
      iterationsMax: 4,
      filesMax: 40,
      words: WIDE,
      relevantFilesMax: 500,
    },
  },
  confidence: {
    direct: 0.9,
    supporting: 0.75,
    weak: 0.65,
    structure: 0.6,
    inference: 0.5,
    refuted: 0.3,
    independentBonus: 0.1,
    confirmed: 0.85,
    claimedMax: 0.75,
    conflictMax: 0.55,
    refutedPenalty: 0.1,
    refutedPenaltyMax: 0.3,
    agePenalty: 0.01,
    ageIterationsFree: 1,
    agePenaltyMax: 0.05,
    snippetLengthMin: 6,
  },
  conflicts: { judge: false, nominationSimilarityMin: 0.4, sameSimilarityMin: 0.8 },
  questionsBy: 'rules',
  coverageBy: 'verified',
  answerConfidenceMin: 0.65,
}

/** How much thought a task is worth; which model that is, the configuration of the agents says. */
export type ModelClass = 'fast' | 'deep'

/** What has to hold before research is done. */
export type Criterion = 'coverage' | 'confidence' | 'conflicts' | 'questions'

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

/** What a question asks for: whether it can be done, how it works, where it is, why it is so. */
export type QuestionKind = 'feasibility' | 'architecture' | 'location' | 'rationale'

/** How far a question is answered. `claimed`: an agent says so with verified citations, and nobody else has judged it. */
export type QuestionStatus = 'answered' | 'claimed' | 'partly' | 'not'

/** What is known of a missing context. */
export type ContextIndicator =
  | 'component_interaction_unknown'
  | 'data_flow_not_traced'
  | 'integration_points_missing'
  | 'dependency_graph_incomplete'
