import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { JsonObject } from '../../core/json.ts'
import { DEFAULT_RESEARCH_RULES } from './rules.ts'
import { wholeResearchSettings } from './settings.ts'
import { configText, readConfig } from './config-file.ts'

/** The three files of the seed, as their documentation describes them, put together. */
const SEED: JsonObject = {
  iteration_rules: {
    max_iterations: 4,
    min_iterations: 1,
    allow_early_termination: true,
    allow_partial_convergence: true,
    iteration_timeout_seconds: 60,
  },
  convergence_criteria: {
    criteria: {
      min_confidence: { enabled: true, threshold: 0.8 },
      min_coverage: { enabled: true, threshold: 0.6 },
      max_unresolved_conflicts: { enabled: true, threshold: 2 },
      require_all_critical_answered: { enabled: true, threshold: 1.0 },
    },
  },
  partial_convergence: { enabled: true, threshold: 0.75, require_critical_questions_answered: true },
  gap_detection: {
    gap_types: {
      coverage_gap: { enabled: true, priority: 'critical', detection: 'coverage < 0.70', action: 'spawn_explore' },
      confidence_gap: { enabled: false, priority: 'important', individual_threshold: 0.65 },
    },
  },
  adaptive_strategies: {
    strategies: {
      spawn_explore: {
        agent: 'ExploreAgent',
        model: 'sonnet',
        prompt_modifier_template: 'Only {missing_file_list}.',
        timeout_seconds: 90,
      },
      tea_break: { agent: 'explore', model: 'haiku' },
    },
  },
  orchestration_settings: {
    parallel_agents_per_iteration: 2,
    early_termination_thresholds: { confidence: 0.9, coverage: 0.85 },
  },
  strategy_templates: { narrow: { agents: ['explore-agent', 'CitationAgent'], max_iterations: 2, max_files: 5 } },
  checkpoint_settings: { directory: 'checkpoints', retention_hours: 24 },
  error_handling: { max_agent_retries: 1, retry_delay_seconds: 5 },
  agent_roles: {
    explore: {
      name: 'ExploreAgent',
      model: 'haiku',
      timeout_seconds: 30,
      triggers: { keywords: ['x'], always_include: true },
      tools: { allowed: ['Read'] },
    },
  },
}

describe('the configuration of research', () => {
  it("RESCLI-1 the seed's three files are read as they are; what has no effect here is listed", () => {
    const { overrides, unused, problems, checkpointDirectory, checkpointRetentionMs } = readConfig(SEED, { isStrict: false })
    expect(problems).toEqual([])
    expect(unused).toEqual([
      'gap_detection.gap_types.coverage_gap.detection',
      'error_handling.retry_delay_seconds',
      'agent_roles.explore.tools',
      'adaptive_strategies.strategies.tea_break',
    ])
    expect({ checkpointDirectory, checkpointRetentionMs }).toEqual({
      checkpointDirectory: 'checkpoints',
      checkpointRetentionMs: 86_400_000,
    })
    const rules = wholeResearchSettings({ goal: 'g', ...overrides })
    expect(rules).toMatchObject({
      iterationsCap: 4,
      iterationTimeoutMs: 60_000,
      agentRetriesMax: 1,
      agentsMax: 2,
      criteria: { coverage: { enabled: true, threshold: 0.6 }, conflicts: { threshold: 2 } },
      gaps: { coverage_gap: { priority: 1, threshold: 0.7 }, confidence_gap: { enabled: false, priority: 2 } },
      strategies: { narrow: { roles: ['explore', 'citation'] }, broad: { iterationsMax: 3 } },
      roles: { explore: { model: 'fast', timeoutMs: 30_000, keywords: ['x'], subagentType: 'Explore' } },
    })
    const coverage = {
      role: 'explore',
      model: 'deep',
      modelNames: { deep: 'sonnet' },
      modifier: 'Only {missing_file_list}.',
      timeoutMs: 90_000,
    }
    expect(rules.specialists.coverage_gap).toEqual(coverage)
    expect(rules.specialists.security_concern).toEqual(DEFAULT_RESEARCH_RULES.specialists.security_concern)
  })

  it('RES-130 the source’s own names are understood: detection blocks, its strategies, models by complexity, checkpoint_directory', () => {
    const { overrides, problems, checkpointDirectory, unused } = readConfig(
      {
        gap_detection: {
          gap_types: {
            confidence_gap: { detection: { trigger: 'low', threshold: 0.7, individual_threshold: 0.5 }, analysis: {} },
            pattern_uncertainty: { detection: { confidence_threshold: 0.6 } },
            performance_concern: { detection: { keywords: ['jank'] }, action: { strategy: 'look_hard', notify: true } },
          },
        },
        adaptive_strategies: {
          strategies: {
            confidence_gap_missing_evidence: { agent: 'CitationAgent', model: 'haiku', timeout_seconds: 20 },
            missing_architectural_context: { agent: 'ExploreAgent', model: 'haiku' },
            unanswered_critical_question: {
              agent: 'specialized_based_on_question_type',
              model: 'haiku_or_sonnet_based_on_complexity',
              prompt_modifier_template: 'Answer {question}.',
            },
            security_gap: { agent: 'SecurityAgent', model: 'opus-4' },
            look_hard: { agent: 'PerformanceAgent', model: 'opus-5' },
          },
        },
        strategy_templates: { narrow_research: { initial_agents: ['ExploreAgent'], scope_threshold: 4, max_iterations: 1 } },
        strategy_selection_rules: { broad_triggers: { scope_indicators: ['feature'], estimated_file_count_range: [5, 12] } },
        checkpoint_settings: { checkpoint_directory: 'points', checkpoint_retention_hours: 1 },
        agent_roles: {
          ExploreAgent: { name: 'Codebase Explorer', model: 'haiku' },
          CitationAgent: { model: 'haiku_or_sonnet_based_on_complexity' },
        },
      },
      { isStrict: false },
    )
    expect(problems).toEqual([])
    expect(checkpointDirectory).toBe('points')
    expect(unused).toContain('gap_detection.gap_types.confidence_gap.analysis')
    const { gaps, specialists, strategies, roles } = wholeResearchSettings({ goal: 'g', ...overrides })
    expect(gaps.confidence_gap).toMatchObject({ threshold: 0.7, individualThreshold: 0.5 })
    expect([gaps.pattern_uncertainty.threshold, gaps.performance_concern.keywords]).toEqual([0.6, ['jank']])
    expect(specialists['confidence_gap:missing_evidence']).toMatchObject({ role: 'citation', timeoutMs: 20_000 })
    expect(specialists.missing_context.modelNames).toEqual({ fast: 'haiku' })
    expect(specialists.unanswered_critical_questions).toMatchObject({
      role: 'explore',
      model: 'auto',
      modelNames: { fast: 'haiku', deep: 'sonnet' },
      modifier: 'Answer {question}.',
    })
    expect(specialists.security_concern).toMatchObject({ model: 'deep', modelNames: { deep: 'opus-4' } })
    expect(specialists.performance_concern).toMatchObject({ role: 'performance', modelNames: { deep: 'opus-5' } })
    expect(strategies.narrow).toMatchObject({ roles: ['explore'], relevantFilesMax: 4, iterationsMax: 1 })
    expect(strategies.broad).toMatchObject({ words: ['feature'], relevantFilesMax: 12 })
    expect(roles['citation']).toMatchObject({ model: 'fast', modelNames: { fast: 'haiku', deep: 'sonnet' } })
    expect(roles['explore']).toMatchObject({ agent: 'ExploreAgent', name: 'Codebase Explorer', subagentType: 'Explore' })
  })

  it('RESCLI-2 in a file of ours an unknown key is an error with the nearest right name, and a wrong value says what it must be', () => {
    const { problems } = readConfig({
      iteration_rules: { max_iteration: 4, min_iterations: 0 },
      gap_detection: { gap_types: { coverage_gaps: {} } },
      orchestration_settings: 3,
      adaptive_strategies: { strategies: { tea_break: { agent: 'explore' } } },
    })
    expect(problems.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([
      expect.stringMatching(/^iteration_rules\.max_iteration: unknown key "max_iteration".*max_iterations/),
      'iteration_rules.min_iterations: "min_iterations" must be a whole number of at least 1, not 0',
      expect.stringMatching(/^gap_detection\.gap_types\.coverage_gaps: .*coverage_gap/),
      'orchestration_settings: "orchestration_settings" must be a map of settings, not 3',
      expect.stringContaining('"tea_break" is sent for nothing'),
    ])
  })

  it('RESCLI-25 rules that choose a strategy or the first cohort are read in the forms that make sense, others are listed', () => {
    const { overrides, unused } = readConfig({
      strategy_selection_rules: {
        small: { scope_words: ['which line'], file_count_max: 3, strategy: 'narrow' },
        broad: { keywords: ['how'], max_files: 9 },
      },
      agent_cohort_rules: { always_include: ['ExploreAgent', 'security'], conditional: { performance: { keywords: ['jank'] } } },
    })
    expect(unused).toEqual([])
    const { strategies, roles } = wholeResearchSettings({ goal: 'g', ...overrides })
    expect(strategies.narrow).toMatchObject({ words: ['which line'], relevantFilesMax: 3, iterationsMax: 2 })
    expect(strategies.broad).toMatchObject({ words: ['how'], relevantFilesMax: 9 })
    expect([roles['security']?.isAlwaysIncluded, roles['performance']?.keywords]).toEqual([true, ['jank']])
    const listed = readConfig({
      strategy_selection_rules: [{ keywords: ['all'], strategy: 'comprehensive' }],
      agent_cohort_rules: 'auto',
    })
    expect(listed.overrides.strategies?.comprehensive?.words).toEqual(['all'])
    expect(listed.unused).toEqual(['agent_cohort_rules'])
  })

  it('RESCLI-3 the file that init writes says what holds by default, and nothing else', () => {
    const { overrides, problems, unused } = readConfig(parse(configText(DEFAULT_RESEARCH_RULES)) as JsonObject)
    expect(problems).toEqual([])
    expect(unused).toEqual([])
    expect(wholeResearchSettings({ goal: 'g', ...overrides })).toEqual(wholeResearchSettings({ goal: 'g' }))
  })

  it('RESCLI-1 a role of the user is filled in, and a strategy for one reason differs from that for the kind', () => {
    const { overrides } = readConfig({
      agent_roles: { license: { description: 'You know licences.' } },
      adaptive_strategies: {
        strategies: { 'confidence_gap:conflict': { model: 'fast' }, confidence_gap: { agent: 'LicenseAgent', model: 'deep' } },
      },
    })
    const { roles, specialists } = wholeResearchSettings({ goal: 'g', ...overrides })
    expect(roles['license']).toMatchObject({ name: 'license', description: 'You know licences.', model: 'fast' })
    expect(specialists['confidence_gap:missing_evidence']).toMatchObject({ role: 'license', model: 'deep' })
    expect(specialists['confidence_gap:conflict']).toMatchObject({ role: 'license', model: 'fast' })
  })
})
