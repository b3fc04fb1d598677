import { GAP_KINDS } from '../rules.ts'
import type { GapRule, ResearchRules, SpecialistRule } from '../rules.ts'

/** A configuration file with every setting at its default and a comment on each: what `pawl research init` writes. */
export function configText(rules: ResearchRules): string {
  return [...head(rules), ...gaps(rules), ...specialists(rules), ...strategies(rules), ...roles(rules), ...rest(rules), ''].join(
    '\n',
  )
}

function head({ iterationsMin, agentsMax, criteria, early, partial }: ResearchRules): readonly string[] {
  return [
    '# How `pawl research` goes on and when it ends. Every value is the default: delete what you do not want to change.',
    '',
    'iteration_rules:',
    '  # max_iterations: 4            # default: that of the strategy (2, 3 or 4)',
    `  min_iterations: ${iterationsMin}`,
    `  allow_early_termination: ${early.enabled}   # end at once when coverage and confidence are very good`,
    `  allow_partial_convergence: ${partial.enabled} # false: a person is asked instead`,
    '',
    '# All four must hold for FULL.',
    'convergence_criteria:',
    '  criteria:',
    `    min_coverage: { enabled: ${criteria.coverage.enabled}, threshold: ${criteria.coverage.threshold} }               # share of the relevant files with a verified citation`,
    `    min_confidence: { enabled: ${criteria.confidence.enabled}, threshold: ${criteria.confidence.threshold} }             # average of the findings`,
    `    max_unresolved_conflicts: { enabled: ${criteria.conflicts.enabled}, threshold: ${criteria.conflicts.threshold} }`,
    `    require_all_critical_answered: { enabled: ${criteria.questions.enabled}, threshold: ${criteria.questions.threshold} }`,
    '  partial_convergence:',
    `    threshold: ${partial.criteriaShareMin}               # share of the criteria that make a good partial result`,
    `    require_critical_questions_answered: ${partial.needsCriticalQuestions}`,
    '',
    'orchestration_settings:',
    `  parallel_agents_per_iteration: ${agentsMax}`,
    `  early_termination_thresholds: { coverage: ${early.coverageMin}, confidence: ${early.confidenceMin} }`,
    '',
  ]
}

function gaps({ gaps: kinds }: ResearchRules): readonly string[] {
  return [
    '# What counts as missing. priority: auto (the rules of the documentation), critical, important or nice_to_have.',
    'gap_detection:',
    '  gap_types:',
    ...GAP_KINDS.map((kind) => `    ${kind}: ${gapMap(kinds[kind])}`),
    '',
  ]
}

function gapMap({ enabled, priority, threshold, individualThreshold, keywords }: GapRule): string {
  const fields = [
    `enabled: ${enabled}`,
    `priority: ${PRIORITIES[priority]}`,
    ...(threshold === undefined ? [] : [`threshold: ${threshold}`]),
    ...(individualThreshold === undefined ? [] : [`individual_threshold: ${individualThreshold}`]),
    ...(keywords === undefined ? [] : [`keywords: [${keywords.join(', ')}]`]),
  ]
  return `{ ${fields.join(', ')} }`
}

const PRIORITIES = { auto: 'auto', 1: 'critical', 2: 'important', 3: 'nice_to_have' } as const

function specialists({ specialists: tasks }: ResearchRules): readonly string[] {
  return [
    '# Who is sent for what, and what is added to the prompt of the role. Words in {braces} are filled in.',
    'adaptive_strategies:',
    '  strategies:',
    ...Object.entries(tasks).flatMap(([task, rule]) => specialistLines(task, rule)),
    '',
  ]
}

function specialistLines(task: string, { role, model, modifier }: SpecialistRule): readonly string[] {
  return [
    `    ${task.includes(':') ? JSON.stringify(task) : task}:`,
    `      agent: ${role}`,
    `      model: ${model}`,
    `      prompt_modifier_template: ${JSON.stringify(modifier)}`,
  ]
}

function strategies({ strategies: templates, strategy }: ResearchRules): readonly string[] {
  return [
    '# How wide to look. auto chooses by the words of the question, else by how many files are relevant.',
    `strategy: ${strategy}`,
    'strategy_templates:',
    ...Object.entries(templates).flatMap(([name, { roles: agents, iterationsMax, filesMax, words, relevantFilesMax }]) => [
      `  ${name}:`,
      `    agents: [${agents.join(', ')}]`,
      `    max_iterations: ${iterationsMax}`,
      `    max_files: ${filesMax}`,
      `    scope_words: [${words.map((word) => JSON.stringify(word)).join(', ')}]`,
      `    relevant_files_max: ${relevantFilesMax}`,
    ]),
    '',
  ]
}

function roles({ roles: all }: ResearchRules): readonly string[] {
  return [
    '# The specialists. model: fast or deep; pawl.yaml says which agent plays a role (`roles: { security: claude }`).',
    'agent_roles:',
    ...Object.entries(all).flatMap(([role, { name, subagentType, description, model, keywords, isAlwaysIncluded }]) => [
      `  ${role}:`,
      `    name: ${name}`,
      `    subagent_type: ${subagentType}`,
      `    description: ${JSON.stringify(description)}`,
      `    model: ${model}`,
      `    triggers: { keywords: [${keywords.join(', ')}], always_include: ${isAlwaysIncluded} }`,
    ]),
    '',
  ]
}

function rest({ confidence, conflicts, ...rules }: ResearchRules): readonly string[] {
  return [
    '# Anchors of a finding\u2019s confidence: see the documentation for the formula.',
    'confidence_scoring:',
    `  direct: ${confidence.direct}`,
    `  supporting: ${confidence.supporting}`,
    `  inference: ${confidence.inference}`,
    `  independent_bonus: ${confidence.independentBonus}`,
    `  conflict_max: ${confidence.conflictMax}`,
    '',
    'conflicts:',
    `  judge: ${conflicts.judge}                 # true: an agent (role judge) decides pairs that only similarity nominates`,
    '  # cosine_max: 0.7            # the rule of cosine similarity, off by default: it cannot tell a contradiction from a paraphrase',
    '',
    'limits:',
    `  empty_iterations_max: ${rules.emptyIterationsMax}      # iterations in a row without a new finding`,
    `  gap_attempts_max: ${rules.gapAttemptsMax}`,
    `  gaps_per_agent_max: ${rules.gapsPerAgentMax}`,
    `  answer_confidence_min: ${rules.answerConfidenceMin}`,
    '',
    '# checkpoint_settings:',
    '#   directory: .pawl/checkpoints   # a checkpoint file after every iteration',
  ]
}
