import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { readValue } from '../../schema/read-value.ts'
import { CONFIG_SCHEMA, roleName, Setting } from './config-schema.ts'
import {
  type CriterionRule,
  DEFAULT_ROLES,
  DEFAULT_SPECIALISTS,
  GAP_KINDS,
  type GapRule,
  type ResearchRules,
  type RoleRule,
  type SpecialistRule,
  type SpecialistTask,
  type StrategyRule,
} from './rules.ts'
import { filledIn, type ResearchOverrides } from './settings.ts'

/** What a configuration says. */
export interface ReadConfig {
  readonly overrides: ResearchOverrides
  /** Where checkpoints in the seed's shape are written after every iteration, where that is asked for. */
  readonly checkpointDirectory?: string
  /** How long they are kept there. Default: for ever. */
  readonly checkpointRetentionMs?: number
  /** Keys that were accepted and have no effect, as `a.b.c`. */
  readonly unused: readonly string[]
  readonly problems: readonly ConfigTrouble[]
}

/** Something that is wrong, and where. */
export interface ConfigTrouble {
  readonly path: readonly string[]
  readonly message: string
  /** Whether it is the name of the key that is wrong. */
  readonly isKey?: true
}

export interface ReadConfigOptions {
  /** Whether a key that nobody knows is a mistake; in files of others it is theirs. Default true. */
  readonly isStrict?: boolean
}

/** Reads the settings of one or more files that were put together: reports what is wrong and takes what is right. */
export function readConfig(value: JsonObject, { isStrict = true }: ReadConfigOptions = {}): ReadConfig {
  const { output, problems } = readValue(CONFIG_SCHEMA, value)
  // Everybody scores confidence in a way of their own.
  const isTheirs = (path: readonly unknown[]): boolean => !isStrict || path[0] === 'confidence_scoring'
  const wrong = problems.filter(({ path, isUnknown }) => !(isUnknown && isTheirs(path)))
  const settings = settingsIn(value, output as JsonObject)
  const used = settings.filter(({ to }) => to !== undefined)
  const { checkpoints, actions, named: strategies, roles, ...rules } = used.reduce<Rules>(withSetting, {})
  const names = agentNames(value)
  const { specialists, unknown } = specialistsFrom((strategies ?? {}) as Strategies, (actions ?? {}) as Actions)
  const idle = unknown.map((name) => ['adaptive_strategies', 'strategies', name])
  const unused = settings
    .filter(({ to, isKnown, path }) => to === undefined && (isKnown || isTheirs(path)))
    .map(({ path }) => path)
  const { directory, retentionMs, enabled = true } = checkpoints ?? {}
  return {
    overrides: {
      ...rules,
      ...(roles === undefined ? {} : { roles: wholeRoles(roles, names) }),
      ...(Object.keys(specialists).length === 0 ? {} : { specialists }),
    } as ResearchOverrides,
    ...(typeof directory === 'string' && enabled === true ? { checkpointDirectory: directory } : {}),
    ...(typeof retentionMs === 'number' ? { checkpointRetentionMs: retentionMs } : {}),
    unused: [...unused, ...(isStrict ? [] : idle)].map((path) => path.join('.')),
    problems: [
      ...wrong.map(({ path, message, at: place }) => ({
        path: path.map(String),
        message,
        ...(place === 'key' ? { isKey: true as const } : {}),
      })),
      ...(isStrict ? idle : []).map((path) => ({
        path,
        message: `"${path.at(-1)}" is sent for nothing: name a kind of gap`,
        isKey: true as const,
      })),
    ],
  }
}

type Rules = Readonly<Record<string, JsonObject>>

interface FoundSetting extends Partial<Setting> {
  readonly path: readonly string[]
  readonly isKnown: boolean
}

/** In the order of the file: of two keys for the same rule the later one holds. */
function settingsIn(value: JsonObject, output: JsonObject, above: readonly string[] = []): readonly FoundSetting[] {
  return Object.entries(value).flatMap(([key, inside]) => {
    const path = [...above, key]
    const read: unknown = output[key]
    if (!Object.hasOwn(output, key)) return [{ path, isKnown: false }]
    if (read instanceof Setting) return [{ ...read, path, isKnown: true }]
    return isJsonObject(read) && isJsonObject(inside) ? settingsIn(inside, read, path) : []
  })
}

function withSetting(rules: Rules, { value = null, to = [], path }: FoundSetting): Rules {
  const name = (depth: number): string => {
    const key = path[depth] ?? ''
    if (to[0] === 'strategies') return key.replace(/_research$/, '')
    return to[0] === 'roles' ? roleName(key) : key
  }
  const keys = to.map((key) => (typeof key === 'number' ? name(key) : key))
  return filledIn(rules, keys.reduceRight<Json>((inside, key) => ({ [key]: inside }), value) as JsonObject) as Rules
}

/** What the file calls the roles that it describes. */
function agentNames(value: JsonObject): Readonly<Record<string, string>> {
  const maps = ['agent_roles', 'roles', 'agents'].map((key) => value[key]).filter(isJsonObject)
  return Object.fromEntries(maps.flatMap((map) => Object.keys(map)).map((name) => [roleName(name), name]))
}

/** Roles of the user's own get what the file left out. */
function wholeRoles(roles: JsonObject, names: Readonly<Record<string, string>>): ResearchOverrides['roles'] {
  return Object.fromEntries(
    Object.entries(roles).map(([role, given]) => {
      const agent = names[role] === undefined || names[role] === role ? {} : { agent: names[role] }
      const own: RoleRule = {
        name: role,
        subagentType: role,
        description: `You are the specialist for ${role}.`,
        model: 'fast',
        keywords: [],
        isAlwaysIncluded: false,
      }
      return [role, { ...(Object.hasOwn(DEFAULT_ROLES, role) ? {} : own), ...agent, ...(given as Partial<RoleRule>) }]
    }),
  )
}

type Strategies = Readonly<Record<string, Partial<SpecialistRule>>>
type Actions = Readonly<Record<string, string>>

/**
 * Whom the strategies of a file send for what. A strategy is for the kind of gap that it is named after, or whose `action` names it;
 * one for `confidence_gap` is for all its reasons, unless one of them has its own.
 */
function specialistsFrom(strategies: Strategies, actions: Actions) {
  const specialists: Partial<Record<SpecialistTask, Partial<SpecialistRule>>> = {}
  // A whole kind first, so that one of its reasons may differ.
  const names = Object.keys(strategies).toSorted((one, other) => Number(one.includes(':')) - Number(other.includes(':')))
  const unknown = names.filter((name) => {
    const tasks = tasksOf(name, actions)
    for (const task of tasks) specialists[task] = { ...specialists[task], ...strategies[name] }
    return tasks.length === 0
  })
  return { specialists, unknown }
}

const TASKS = Object.keys(DEFAULT_SPECIALISTS) as readonly SpecialistTask[]

/** What the engine that the files come from calls its strategies. */
const ALIASES: Readonly<Record<string, SpecialistTask>> = {
  confidence_gap_missing_evidence: 'confidence_gap:missing_evidence',
  confidence_gap_pattern_unclear: 'confidence_gap:unclear_pattern',
  missing_architectural_context: 'missing_context',
  unanswered_critical_question: 'unanswered_critical_questions',
  security_gap: 'security_concern',
  performance_gap: 'performance_concern',
}

function tasksOf(given: string, actions: Actions): readonly SpecialistTask[] {
  const name = ALIASES[given] ?? given
  const kinds = [name, ...Object.keys(actions).filter((kind) => actions[kind] === name)]
  return TASKS.filter((task) => kinds.some((kind) => task === kind || task.startsWith(`${kind}:`)))
}

/** A configuration file with every setting at its default and a comment on each: what `pawl research init` writes. */
export function configText(rules: ResearchRules): string {
  const { criteria, early, partial, confidence, conflicts } = rules
  return `# How \`pawl research\` goes on and when it ends. Every value is the default: delete what you do not want to change.

iteration_rules:
  # max_iterations: 4            # default: that of the strategy (2, 3 or 4)
  min_iterations: ${rules.iterationsMin}
  allow_early_termination: ${early.enabled}   # end at once when coverage and confidence are very good
  allow_partial_convergence: ${partial.enabled} # false: a person is asked instead

# All four must hold for FULL.
convergence_criteria:
  criteria:
    min_coverage: ${criterionMap(criteria.coverage)}               # share of the relevant files with a verified citation
    min_confidence: ${criterionMap(criteria.confidence)}             # average of the findings
    max_unresolved_conflicts: ${criterionMap(criteria.conflicts)}
    require_all_critical_answered: ${criterionMap(criteria.questions)}
  partial_convergence:
    threshold: ${partial.criteriaShareMin}               # share of the criteria that make a good partial result
    require_critical_questions_answered: ${partial.needsCriticalQuestions}

orchestration_settings:
  parallel_agents_per_iteration: ${rules.agentsMax}
  early_termination_thresholds: { coverage: ${early.coverageMin}, confidence: ${early.confidenceMin} }

# What counts as missing. priority: auto (the rules of the documentation), critical, important or nice_to_have.
gap_detection:
  gap_types:${GAP_KINDS.map((kind) => `\n    ${kind}: ${gapMap(rules.gaps[kind])}`).join('')}

# Who is sent for what, and what is added to the prompt of the role. Words in {braces} are filled in.
adaptive_strategies:
  strategies:${Object.entries(rules.specialists).map(specialistLines).join('')}

# How wide to look. auto chooses by the words of the question, else by how many files are relevant.
strategy: ${rules.strategy}
strategy_templates:${Object.entries(rules.strategies).map(strategyLines).join('')}

# The specialists. model: fast or deep; pawl.yaml says which agent plays a role (\`roles: { security: claude }\`).
agent_roles:${Object.entries(rules.roles).map(roleLines).join('')}

# Anchors of a finding\u2019s confidence: see the documentation for the formula.
confidence_scoring:
  direct: ${confidence.direct}
  supporting: ${confidence.supporting}
  inference: ${confidence.inference}
  independent_bonus: ${confidence.independentBonus}
  conflict_max: ${confidence.conflictMax}

conflicts:
  judge: ${conflicts.judge}                 # true: an agent (role judge) decides pairs that only similarity nominates
  # cosine_max: 0.7            # the rule of cosine similarity, off by default: it cannot tell a contradiction from a paraphrase

limits:
  empty_iterations_max: ${rules.emptyIterationsMax}      # iterations in a row without a new finding
  gap_attempts_max: ${rules.gapAttemptsMax}
  gaps_per_agent_max: ${rules.gapsPerAgentMax}
  answer_confidence_min: ${rules.answerConfidenceMin}

# checkpoint_settings:
#   directory: .pawl/checkpoints   # a checkpoint file after every iteration
`
}

function criterionMap({ enabled, threshold }: CriterionRule): string {
  return `{ enabled: ${enabled}, threshold: ${threshold} }`
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

function specialistLines([task, { role, model, modifier }]: readonly [string, SpecialistRule]): string {
  return `
    ${task.includes(':') ? JSON.stringify(task) : task}:
      agent: ${role}
      model: ${model}
      prompt_modifier_template: ${JSON.stringify(modifier)}`
}

function strategyLines([name, { roles, iterationsMax, filesMax, words, relevantFilesMax }]: readonly [
  string,
  StrategyRule,
]): string {
  return `
  ${name}:
    agents: [${roles.join(', ')}]
    max_iterations: ${iterationsMax}
    max_files: ${filesMax}
    scope_words: [${words.map((word) => JSON.stringify(word)).join(', ')}]
    relevant_files_max: ${relevantFilesMax}`
}

function roleLines([role, { name, subagentType, description, model, keywords, isAlwaysIncluded }]: readonly [
  string,
  RoleRule,
]): string {
  return `
  ${role}:
    name: ${name}
    subagent_type: ${subagentType}
    description: ${JSON.stringify(description)}
    model: ${model}
    triggers: { keywords: [${keywords.join(', ')}], always_include: ${isAlwaysIncluded} }`
}
