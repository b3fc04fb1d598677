import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import {
  ANYTHING,
  byValue,
  COUNT,
  FLAG,
  fitting,
  mapOf,
  numberAbove,
  optional,
  optionalOrEmpty,
  readAs,
  settingsSchema,
  SHARE_FROM_0,
  TEXT,
  TEXTS,
  wholeNumber,
} from '../../schema/kinds.ts'
import type { SettingsSchema } from '../../schema/read-options.ts'
import { GAP_KINDS, type RoleRule } from './rules.ts'

/** A setting as it was read. `to` is its place in the rules; a number stands for the key at that depth of the file. */
export class Setting {
  readonly value: Json
  readonly to: Place | undefined
  constructor(value: Json, to?: Place) {
    this.value = value
    this.to = to
  }
}

type Place = readonly (string | number)[]
type Kind = SettingsSchema['entries'][string]
type Entries = SettingsSchema['entries']

function at(kind: Kind, ...to: Place): Kind {
  return optional(readAs(kind, (value) => new Setting(value as Json, to)))
}

const ANY: Kind = ANYTHING

/** Accepted without effect: it says how something is found or done elsewhere, and ours is code. */
const UNUSED: Kind = readAs(ANY, (value) => (value === undefined ? undefined : new Setting(null)))

function map(entries: Entries): Kind {
  return optionalOrEmpty(settingsSchema(entries, 'a map of settings'))
}

/** A map of settings, or a sentence in its place, which has no effect. */
function mapOrText(entries: Entries): Kind {
  const [settings, text] = [map(entries), readAs(TEXT, () => new Setting(null))]
  return byValue((value) => (typeof value === 'string' ? text : settings))
}

/** Maps of settings by names of the user's. */
function mapsOf(entries: Entries): Kind {
  return optionalOrEmpty(mapOf('a map of settings', map(entries)))
}

const NUMBER_FROM_1 = wholeNumber(1)
const SECONDS = readAs(numberAbove(0, 'a number of seconds above 0'), (seconds) => Math.round(seconds * 1000))
const HOURS = readAs(numberAbove(0, 'a number of hours above 0'), (hours) => Math.round(hours * 3_600_000))
const ROLE_NAMES = readAs(TEXTS, (names) => names.map(roleName))
const STRATEGIES = { narrow: 'narrow', broad: 'broad', comprehensive: 'comprehensive' }
const STRATEGY = word('auto, narrow, broad or comprehensive', { auto: 'auto', ...STRATEGIES })
/** A model by its class or by a name of its own; which class other names are is guessed from what Anthropic calls its small ones. */
const MODEL = readAs(TEXT, modelOf)

/** `haiku_or_sonnet_based_on_complexity` names the model of either class. */
function modelOf(given: string): JsonObject {
  const [, fast, deep] = /^(\w+?)_or_(\w+?)_based_on_\w+$/.exec(given) ?? []
  if (fast !== undefined && deep !== undefined) return { model: 'auto', modelNames: { fast, deep } }
  const name = given.trim().toLowerCase()
  if (name === 'fast' || name === 'deep' || name === 'auto') return { model: name }
  const model = /haiku|mini|nano|flash|small|fast|lite/.test(name) ? 'fast' : 'deep'
  return { model, modelNames: { [model]: given.trim() } }
}

/** By complexity: a role is quick until the gap that it is sent for asks for the other model. */
const ROLE_MODEL = readAs(TEXT, (given) => {
  const read = modelOf(given)
  return read['model'] === 'auto' ? { ...read, model: 'fast' } : read
})

/** A role that is chosen by the question (`specialized_based_on_question_type`) is what this engine does anyway. */
function chosenRole(...to: Place): Kind {
  return optional(readAs(TEXT, (given) => (/_based_on_/.test(given) ? new Setting(null) : new Setting(roleName(given), to))))
}

const PRIORITY = word('auto, critical, important or nice_to_have', {
  auto: 'auto',
  critical: 1,
  important: 2,
  nice_to_have: 3,
  '1': 1,
  '2': 2,
  '3': 3,
})

/** One of a few words, and what the rules have in its place. */
function word(wanted: string, words: Readonly<Record<string, string | number>>): Kind {
  const isWord = (value: unknown): boolean => typeof value !== 'object' && Object.hasOwn(words, String(value).toLowerCase())
  return readAs(fitting(wanted, isWord), (value) => words[String(value).toLowerCase()])
}

function criterion(name: string, kind: Kind): Kind {
  return map({
    enabled: at(FLAG, 'criteria', name, 'enabled'),
    threshold: at(kind, 'criteria', name, 'threshold'),
    description: UNUSED,
    weight: UNUSED,
  })
}

const PARTIAL = map({
  enabled: at(FLAG, 'partial', 'enabled'),
  threshold: at(SHARE_FROM_0, 'partial', 'criteriaShareMin'),
  require_critical_questions_answered: at(FLAG, 'partial', 'needsCriticalQuestions'),
  description: UNUSED,
})

/** The strategy that a gap is handled with: its name, or a block that names it. */
const ACTION = readAs(
  fitting('a text that is not empty, or a map', (value) => (typeof value === 'string' ? value.trim() !== '' : isMap(value))),
  (value: unknown) =>
    isMap(value) ? ([value['strategy'], value['type']].find((each) => typeof each === 'string') ?? '') : value,
)

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const GAP = map({
  enabled: at(FLAG, 'gaps', 2, 'enabled'),
  priority: at(PRIORITY, 'gaps', 2, 'priority'),
  threshold: at(SHARE_FROM_0, 'gaps', 2, 'threshold'),
  individual_threshold: at(SHARE_FROM_0, 'gaps', 2, 'individualThreshold'),
  keywords: at(TEXTS, 'gaps', 2, 'keywords'),
  detection: mapOrText({
    threshold: at(SHARE_FROM_0, 'gaps', 2, 'threshold'),
    confidence_threshold: at(SHARE_FROM_0, 'gaps', 2, 'threshold'),
    individual_threshold: at(SHARE_FROM_0, 'gaps', 2, 'individualThreshold'),
    keywords: at(TEXTS, 'gaps', 2, 'keywords'),
  }),
  action: at(ACTION, 'actions', 2),
  indicators: UNUSED,
  question_types: UNUSED,
  description: UNUSED,
})

const CONFIDENCE = map({
  direct: at(SHARE_FROM_0, 'confidence', 'direct'),
  direct_evidence: at(SHARE_FROM_0, 'confidence', 'direct'),
  supporting: at(SHARE_FROM_0, 'confidence', 'supporting'),
  supporting_evidence: at(SHARE_FROM_0, 'confidence', 'supporting'),
  inference: at(SHARE_FROM_0, 'confidence', 'inference'),
  independent_bonus: at(SHARE_FROM_0, 'confidence', 'independentBonus'),
  multiple_sources_bonus: at(SHARE_FROM_0, 'confidence', 'independentBonus'),
  conflict_max: at(SHARE_FROM_0, 'confidence', 'conflictMax'),
  claimed_max: at(SHARE_FROM_0, 'confidence', 'claimedMax'),
})

const ROLES = mapsOf({
  name: at(TEXT, 'roles', 1, 'name'),
  subagent_type: at(TEXT, 'roles', 1, 'subagentType'),
  description: at(TEXT, 'roles', 1, 'description'),
  model: at(ROLE_MODEL, 'roles', 1),
  timeout_seconds: at(SECONDS, 'roles', 1, 'timeoutMs'),
  triggers: map({ keywords: at(TEXTS, 'roles', 1, 'keywords'), always_include: at(FLAG, 'roles', 1, 'isAlwaysIncluded') }),
  tools: UNUSED,
  confidence_scoring: CONFIDENCE,
})

const STRATEGY_TEMPLATE = map({
  agents: at(ROLE_NAMES, 'strategies', 1, 'roles'),
  initial_agents: at(ROLE_NAMES, 'strategies', 1, 'roles'),
  max_iterations: at(NUMBER_FROM_1, 'strategies', 1, 'iterationsMax'),
  max_files: at(NUMBER_FROM_1, 'strategies', 1, 'filesMax'),
  scope_words: at(TEXTS, 'strategies', 1, 'words'),
  relevant_files_max: at(NUMBER_FROM_1, 'strategies', 1, 'relevantFilesMax'),
  scope_threshold: at(NUMBER_FROM_1, 'strategies', 1, 'relevantFilesMax'),
  description: UNUSED,
})

/**
 * The keys of the three configuration files of the seed, in one schema: `iteration-rules.json`, `orchestration-config.json` and
 * `agent-roles.json`. A file of ours has the same keys, all together.
 */
export const CONFIG_SCHEMA = settingsSchema({
  version: UNUSED,
  description: UNUSED,
  iteration_rules: map({
    max_iterations: at(NUMBER_FROM_1, 'iterationsCap'),
    min_iterations: at(NUMBER_FROM_1, 'iterationsMin'),
    allow_early_termination: at(FLAG, 'early', 'enabled'),
    allow_partial_convergence: at(FLAG, 'partial', 'enabled'),
    iteration_timeout_seconds: at(SECONDS, 'iterationTimeoutMs'),
  }),
  convergence_criteria: map({
    description: UNUSED,
    criteria: map({
      min_confidence: criterion('confidence', SHARE_FROM_0),
      min_coverage: criterion('coverage', SHARE_FROM_0),
      max_unresolved_conflicts: criterion('conflicts', COUNT),
      require_all_critical_answered: criterion('questions', SHARE_FROM_0),
    }),
    partial_convergence: PARTIAL,
  }),
  partial_convergence: PARTIAL,
  gap_detection: map({
    enabled: UNUSED,
    description: UNUSED,
    gap_types: map(Object.fromEntries(GAP_KINDS.map((kind) => [kind, GAP]))),
  }),
  adaptive_strategies: map({
    enabled: UNUSED,
    description: UNUSED,
    strategies: mapsOf({
      agent: chosenRole('named', 2, 'role'),
      model: at(MODEL, 'named', 2),
      prompt_modifier_template: at(TEXT, 'named', 2, 'modifier'),
      timeout_seconds: at(SECONDS, 'named', 2, 'timeoutMs'),
      description: UNUSED,
    }),
  }),
  orchestration_settings: map({
    max_iterations: at(NUMBER_FROM_1, 'iterationsCap'),
    parallel_agents_per_iteration: at(NUMBER_FROM_1, 'agentsMax'),
    min_confidence_threshold: at(SHARE_FROM_0, 'criteria', 'confidence', 'threshold'),
    min_coverage_threshold: at(SHARE_FROM_0, 'criteria', 'coverage', 'threshold'),
    iteration_timeout_seconds: at(SECONDS, 'iterationTimeoutMs'),
    early_termination_enabled: at(FLAG, 'early', 'enabled'),
    thresholds: map({
      confidence: at(SHARE_FROM_0, 'criteria', 'confidence', 'threshold'),
      coverage: at(SHARE_FROM_0, 'criteria', 'coverage', 'threshold'),
      min_confidence: at(SHARE_FROM_0, 'criteria', 'confidence', 'threshold'),
      min_coverage: at(SHARE_FROM_0, 'criteria', 'coverage', 'threshold'),
      max_unresolved_conflicts: at(NUMBER_FROM_1, 'criteria', 'conflicts', 'threshold'),
    }),
    early_termination_thresholds: map({
      confidence: at(SHARE_FROM_0, 'early', 'confidenceMin'),
      coverage: at(SHARE_FROM_0, 'early', 'coverageMin'),
    }),
  }),
  strategy: at(STRATEGY, 'strategy'),
  strategy_templates: map(
    Object.fromEntries(
      Object.keys(STRATEGIES).flatMap((name) => [name, `${name}_research`].map((key) => [key, STRATEGY_TEMPLATE])),
    ),
  ),
  strategy_selection_rules: readAs(ANY, (value) => strategyChoice(value as Json | undefined)),
  agent_cohort_rules: readAs(ANY, (value) => cohortChoice(value as Json | undefined)),
  checkpoint_settings: map({
    directory: at(TEXT, 'checkpoints', 'directory'),
    checkpoint_directory: at(TEXT, 'checkpoints', 'directory'),
    enabled: at(FLAG, 'checkpoints', 'enabled'),
    retention_hours: at(HOURS, 'checkpoints', 'retentionMs'),
    checkpoint_retention_hours: at(HOURS, 'checkpoints', 'retentionMs'),
  }),
  error_handling: map({ max_agent_retries: at(COUNT, 'agentRetriesMax'), retry_delay_seconds: UNUSED }),
  agent_roles: ROLES,
  roles: ROLES,
  agents: ROLES,
  confidence_scoring: CONFIDENCE,
  limits: map({
    empty_iterations_max: at(NUMBER_FROM_1, 'emptyIterationsMax'),
    gap_attempts_max: at(NUMBER_FROM_1, 'gapAttemptsMax'),
    gaps_per_agent_max: at(NUMBER_FROM_1, 'gapsPerAgentMax'),
    answer_confidence_min: at(SHARE_FROM_0, 'answerConfidenceMin'),
  }),
  conflicts: map({
    judge: at(FLAG, 'conflicts', 'judge'),
    cosine_max: at(SHARE_FROM_0, 'conflicts', 'cosineMax'),
    nomination_similarity_min: at(SHARE_FROM_0, 'conflicts', 'nominationSimilarityMin'),
    same_similarity_min: at(SHARE_FROM_0, 'conflicts', 'sameSimilarityMin'),
  }),
})

/**
 * `strategy_selection_rules`: a list or a map of `{ strategy, keywords | scope_words, max_files | file_count_max }`; in a map the name of
 * a rule may be the strategy. In another form they have no effect.
 */
function strategyChoice(value: Json | undefined): Setting | undefined {
  const rules: Record<string, { readonly words?: readonly string[]; readonly relevantFilesMax?: number }> = {}
  for (const [name, rule] of rulesIn(value)) {
    const strategy = String(rule['strategy'] ?? name).replace(/_(?:triggers|research)$/, '')
    const words = wordsIn(rule['keywords'] ?? rule['scope_words'] ?? rule['scope_indicators'])
    const files =
      rule['max_files'] ??
      rule['file_count_max'] ??
      rule['estimated_file_count_max'] ??
      lastOf(rule['estimated_file_count_range'])
    const isCount = typeof files === 'number' && Number.isInteger(files) && files > 0
    if (!Object.hasOwn(STRATEGIES, strategy) || !(words || isCount)) continue
    const known = rules[strategy]
    rules[strategy] = {
      ...known,
      ...(words ? { words: [...(known?.words ?? []), ...words] } : {}),
      ...(isCount ? { relevantFilesMax: files } : {}),
    }
  }
  return choice(value, rules, 'strategies')
}

/**
 * `agent_cohort_rules`: `always_include: [explore]`, and for each role, also one level down, `{ keywords: […], always_include: true }` or
 * the keywords alone; in a list with the role under `agent` or `role`. In another form they have no effect.
 */
function cohortChoice(value: Json | undefined): Setting | undefined {
  const always = (isJsonObject(value) && wordsIn(value['always_include'])) || []
  const rules: Record<string, Partial<RoleRule>> = Object.fromEntries(
    always.map((role) => [roleName(role), { isAlwaysIncluded: true }]),
  )
  for (const [name, rule] of roleRulesIn(value)) {
    const role = roleName(String(rule['agent'] ?? rule['role'] ?? name))
    const keywords = wordsIn(rule['keywords'])
    const isAlways = rule['always_include']
    if (!keywords && typeof isAlways !== 'boolean') continue
    rules[role] = {
      ...rules[role],
      ...(keywords ? { keywords } : {}),
      ...(typeof isAlways === 'boolean' ? { isAlwaysIncluded: isAlways } : {}),
    }
  }
  return choice(value, rules, 'roles')
}

function lastOf(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value.at(-1) : undefined
}

function choice(value: Json | undefined, rules: object, to: string): Setting | undefined {
  if (value === undefined) return undefined
  return Object.keys(rules).length === 0 ? new Setting(null) : new Setting(rules as JsonObject, [to])
}

type NamedRule = readonly [name: string, rule: JsonObject]

/** Rules of a list have numbers for names. */
function rulesIn(value: Json | undefined): readonly NamedRule[] {
  return Object.entries(value ?? {}).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]))
}

function roleRulesIn(value: Json | undefined): readonly NamedRule[] {
  return Object.entries(isJsonObject(value) ? value : Array.isArray(value) ? value : {}).flatMap(
    ([name, each]): readonly NamedRule[] => {
      if (name === 'always_include') return []
      if (!isJsonObject(each)) return wordsIn(each) ? [[name, { keywords: each }]] : []
      return 'keywords' in each || typeof each['always_include'] === 'boolean' ? [[name, each]] : roleRulesIn(each)
    },
  )
}

function wordsIn(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string') ? value : undefined
}

/** `ExploreAgent`, `explore-agent` and `Explore` are the role `explore`; the verification agent is also called `Plan`. */
export function roleName(given: string): string {
  const short = given.replace(/[\s_-]*agent$/i, '').toLowerCase()
  return short === 'plan' ? 'verification' : short
}
