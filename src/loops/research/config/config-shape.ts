import { GAP_KINDS } from '../rules.ts'

/** What a value must be. */
export type ValueKind =
  | 'count'
  | 'number'
  | 'share'
  | 'flag'
  | 'words'
  | 'text'
  | 'seconds'
  | 'hours'
  | 'model'
  | 'priority'
  | 'strategy'

/** A setting of the configuration files, and where it goes in the rules; without `to` it is accepted and has no effect here. */
export interface Setting {
  /** `any` is accepted whatever it is; `choice` is read by rules of its own. */
  readonly kind: ValueKind | 'any' | 'choice'
  /** Path in the rules; `*` stands for the name that was met on the way. */
  readonly to?: readonly string[]
}

/** What may stand in a map: settings, maps, and under `*` one for every name. */
export interface Shape {
  readonly [key: string]: Setting | Shape
}

/** Whether it is a setting and not a map of them. */
export function isSetting(entry: Setting | Shape): entry is Setting {
  return typeof (entry as Setting).kind === 'string'
}

function at(kind: ValueKind, ...to: readonly string[]): Setting {
  return { kind, to }
}

/** Says how something is found or done elsewhere; ours is code. */
const UNUSED: Setting = { kind: 'any' }

function criterion(name: string, kind: ValueKind): Shape {
  return {
    enabled: at('flag', 'criteria', name, 'enabled'),
    threshold: at(kind, 'criteria', name, 'threshold'),
    description: UNUSED,
    weight: UNUSED,
  }
}

const PARTIAL: Shape = {
  enabled: at('flag', 'partial', 'enabled'),
  threshold: at('share', 'partial', 'criteriaShareMin'),
  require_critical_questions_answered: at('flag', 'partial', 'needsCriticalQuestions'),
  description: UNUSED,
}

const GAP: Shape = {
  enabled: at('flag', 'gaps', '*', 'enabled'),
  priority: at('priority', 'gaps', '*', 'priority'),
  threshold: at('share', 'gaps', '*', 'threshold'),
  individual_threshold: at('share', 'gaps', '*', 'individualThreshold'),
  keywords: at('words', 'gaps', '*', 'keywords'),
  detection: UNUSED,
  action: at('text', 'actions', '*'),
  indicators: UNUSED,
  question_types: UNUSED,
  description: UNUSED,
}

const THRESHOLDS: Shape = {
  confidence: at('share', 'criteria', 'confidence', 'threshold'),
  coverage: at('share', 'criteria', 'coverage', 'threshold'),
  min_confidence: at('share', 'criteria', 'confidence', 'threshold'),
  min_coverage: at('share', 'criteria', 'coverage', 'threshold'),
  max_unresolved_conflicts: at('count', 'criteria', 'conflicts', 'threshold'),
}

const ROLE: Shape = {
  name: at('text', 'roles', '*', 'name'),
  subagent_type: at('text', 'roles', '*', 'subagentType'),
  description: at('text', 'roles', '*', 'description'),
  model: at('model', 'roles', '*', 'model'),
  timeout_seconds: at('seconds', 'roles', '*', 'timeoutMs'),
  triggers: { keywords: at('words', 'roles', '*', 'keywords'), always_include: at('flag', 'roles', '*', 'isAlwaysIncluded') },
  tools: UNUSED,
}

/**
 * The keys of the three configuration files of the seed, in one shape: `iteration-rules.json`, `orchestration-config.json` and
 * `agent-roles.json`. A file of ours has the same keys, all together.
 */
export const CONFIG_SHAPE: Shape = {
  version: UNUSED,
  description: UNUSED,
  iteration_rules: {
    max_iterations: at('count', 'iterationsCap'),
    min_iterations: at('count', 'iterationsMin'),
    allow_early_termination: at('flag', 'early', 'enabled'),
    allow_partial_convergence: at('flag', 'partial', 'enabled'),
    iteration_timeout_seconds: at('seconds', 'iterationTimeoutMs'),
  },
  convergence_criteria: {
    description: UNUSED,
    criteria: {
      min_confidence: criterion('confidence', 'share'),
      min_coverage: criterion('coverage', 'share'),
      max_unresolved_conflicts: criterion('conflicts', 'number'),
      require_all_critical_answered: criterion('questions', 'share'),
    },
    partial_convergence: PARTIAL,
  },
  partial_convergence: PARTIAL,
  gap_detection: { enabled: UNUSED, description: UNUSED, gap_types: Object.fromEntries(GAP_KINDS.map((kind) => [kind, GAP])) },
  adaptive_strategies: {
    enabled: UNUSED,
    description: UNUSED,
    strategies: {
      '*': {
        agent: at('text', 'named', '*', 'role'),
        model: at('model', 'named', '*', 'model'),
        prompt_modifier_template: at('text', 'named', '*', 'modifier'),
        timeout_seconds: at('seconds', 'named', '*', 'timeoutMs'),
        description: UNUSED,
      },
    },
  },
  orchestration_settings: {
    max_iterations: at('count', 'iterationsCap'),
    parallel_agents_per_iteration: at('count', 'agentsMax'),
    thresholds: THRESHOLDS,
    early_termination_thresholds: {
      confidence: at('share', 'early', 'confidenceMin'),
      coverage: at('share', 'early', 'coverageMin'),
    },
  },
  strategy: at('strategy', 'strategy'),
  strategy_templates: Object.fromEntries(
    ['narrow', 'broad', 'comprehensive'].map((name) => [
      name,
      {
        agents: at('words', 'strategies', name, 'roles'),
        max_iterations: at('count', 'strategies', name, 'iterationsMax'),
        max_files: at('count', 'strategies', name, 'filesMax'),
        scope_words: at('words', 'strategies', name, 'words'),
        relevant_files_max: at('count', 'strategies', name, 'relevantFilesMax'),
        description: UNUSED,
      },
    ]),
  ),
  strategy_selection_rules: { kind: 'choice', to: ['strategies'] },
  agent_cohort_rules: { kind: 'choice', to: ['roles'] },
  checkpoint_settings: {
    directory: at('text', 'checkpoints', 'directory'),
    enabled: UNUSED,
    retention_hours: at('hours', 'checkpoints', 'retentionMs'),
  },
  error_handling: { max_agent_retries: at('number', 'agentRetriesMax'), retry_delay_seconds: UNUSED },
  agent_roles: { '*': ROLE },
  roles: { '*': ROLE },
  agents: { '*': ROLE },
  confidence_scoring: {
    direct: at('share', 'confidence', 'direct'),
    supporting: at('share', 'confidence', 'supporting'),
    inference: at('share', 'confidence', 'inference'),
    independent_bonus: at('share', 'confidence', 'independentBonus'),
    conflict_max: at('share', 'confidence', 'conflictMax'),
    '*': UNUSED,
  },
  limits: {
    empty_iterations_max: at('count', 'emptyIterationsMax'),
    gap_attempts_max: at('count', 'gapAttemptsMax'),
    gaps_per_agent_max: at('count', 'gapsPerAgentMax'),
    answer_confidence_min: at('share', 'answerConfidenceMin'),
  },
  conflicts: {
    judge: at('flag', 'conflicts', 'judge'),
    cosine_max: at('share', 'conflicts', 'cosineMax'),
    nomination_similarity_min: at('share', 'conflicts', 'nominationSimilarityMin'),
    same_similarity_min: at('share', 'conflicts', 'sameSimilarityMin'),
  },
}
