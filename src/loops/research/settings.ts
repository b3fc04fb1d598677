import {
  DEFAULT_RESEARCH_RULES,
  GAP_KINDS,
  type GapKind,
  type ResearchRules,
  type RoleRule,
  type SpecialistRule,
} from './rules.ts'
import { nearestName } from '../../core/names.ts'
import { type Entries, inFiles } from '../../schema/file-kinds.ts'
import {
  ANY_MAP,
  COUNT,
  eitherOf,
  FLAG,
  type GenericSchema,
  LIST,
  mapOf,
  needed,
  notBlank,
  oneOf,
  optional,
  settingsSchema,
  SHARE_FROM_0,
  TEXT,
  TEXTS,
  wholeNumber,
  wholeNumberBetween,
  WORDS,
} from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { SeedCheckpoint } from './seed-checkpoint.ts'
import type { PartSpec } from '../../core/run-config.ts'

/** What is asked, and whatever of the rules differs from the default. Lists replace, everything else is filled in. */
export type ResearchSettings = ResearchStart & ResearchOverrides

export interface ResearchStart {
  /** The question, in the user's words. */
  readonly goal: string
  /** A checkpoint in the seed's shape to continue from. Default: from the beginning. */
  readonly checkpoint?: SeedCheckpoint
  /** How often specialists closed gaps in runs before this one: decides where two of them could be sent. Default: nothing is known. */
  readonly past?: readonly Effectiveness[]
}

/** Parts of the rules. */
export type ResearchOverrides = {
  readonly [Name in keyof Omit<ResearchRules, 'gaps' | 'criteria' | 'specialists' | 'roles' | 'strategies'>]?: Overridden<
    ResearchRules[Name]
  >
} & {
  readonly [Name in 'gaps' | 'criteria' | 'specialists' | 'strategies']?: {
    readonly [Key in keyof ResearchRules[Name]]?: Partial<ResearchRules[Name][Key]>
  }
} & { readonly roles?: Readonly<Record<string, Partial<RoleRule>>> }

type Overridden<Value> = Value extends readonly unknown[] ? Value : Value extends object ? Partial<Value> : Value

/** Settings with every default filled in. */
export type WholeResearchSettings = ResearchStart & ResearchRules

/** Checks the settings and fills in the defaults. */
export function wholeResearchSettings(settings: ResearchSettings): WholeResearchSettings {
  readOptions('researchLoop', RESEARCH_LOOP, settings)
  const { goal, checkpoint, past, ...overrides } = settings
  const rules = filledIn(DEFAULT_RESEARCH_RULES as unknown as JsonObject, overrides as unknown as JsonObject)
  const whole = { goal, ...(checkpoint ? { checkpoint } : {}), ...(past ? { past } : {}), ...(rules as unknown as ResearchRules) }
  requireRoles(whole)
  const { confidence, criteria } = whole
  const { claimedMax = 1 } = confidence
  // What nobody but its author has judged never meets the criterion.
  const below = Math.max(0, Math.round((criteria.confidence.threshold - CLAIMED_BELOW) * 1000) / 1000)
  return { ...whole, confidence: { ...confidence, claimedMax: Math.min(claimedMax, below) } }
}

/** How far below the threshold of confidence a claim stays at least. */
const CLAIMED_BELOW = 0.05

/** Objects are filled in field by field, all else is taken as it is given; what is not given stays. */
export function filledIn(before: JsonObject, given: JsonObject): JsonObject {
  const filled: Record<string, JsonObject[string]> = { ...before }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const old = before[name]
    filled[name] = isJsonObject(value) ? filledIn(isJsonObject(old) ? old : {}, value) : value
  }
  return filled
}

/** Names of roles are parts of keys; whoever is to be sent must be known. */
function requireRoles({ roles, specialists, strategies, cohort = [] }: ResearchRules): void {
  const named = [
    ...Object.values<SpecialistRule>(specialists).map(({ role }) => role),
    ...Object.values(strategies).flatMap((strategy) => strategy.roles),
  ]
  const unknown = named.find((role) => !Object.hasOwn(roles, role))
  if (unknown !== undefined)
    throw new PawlError('loop.research.role', `The role "${unknown}" is sent for something, but roles does not describe it.`, {
      value: unknown,
    })
  const wrong = [...Object.keys(roles), ...cohort].find((role) => !NAME.test(role))
  if (wrong !== undefined)
    throw new PawlError('loop.research.role', `A role cannot be called "${wrong}": letters, digits, "-" and "_" only.`, {
      value: wrong,
    })
}

const NAME = /^[\w-]{1,60}$/

/**
 * Throws for an agent that would play nobody in research: its name is no role of the loop's. With `isShared` only for one that is a slip
 * of such a name, since the others may be roles of other loops.
 */
export function requirePlayers({ settings }: PartSpec, names: readonly string[], { isShared = false } = {}): void {
  const roles = Object.keys((settings['roles'] ?? {}) as object).concat(ASIDE)
  const known = [...CLASSES, ...roles]
  const isKnown = (name: string): boolean =>
    known.includes(name) || CLASSES.some((group) => name.startsWith(`${group}:`) && roles.includes(name.slice(group.length + 1)))
  for (const name of names) {
    const near = isKnown(name) ? undefined : nearestName(name, known)
    if (isKnown(name) || (isShared && near === undefined)) continue
    const way = near === undefined ? `there are ${known.join(', ')}` : `did you mean "${near}"?`
    throw new PawlError('loop.research.role', `No role of research is called "${name}"; ${way}`, { value: name })
  }
}

const CLASSES = ['fast', 'deep']
/** Who is asked besides the specialists, where that is configured. */
const ASIDE = ['questions', 'judge']

const FROM_1 = optional(wholeNumber(1))
const SHARE = optional(SHARE_FROM_0)
const SWITCH = optional(FLAG)
const STRATEGY_NAMES = ['narrow', 'broad', 'comprehensive'] as const
const MODEL = optional(oneOf(['fast', 'deep']))

const MODEL_NAMES = optional(settingsSchema({ fast: optional(TEXT), deep: optional(TEXT) }, 'a map of settings'))

/** A map of which some fields may be given: the others keep their defaults. */
function part(entries: Entries): GenericSchema {
  return optional(settingsSchema(entries, 'a map of settings'))
}

/** The same settings under each of these names. */
function each(names: readonly string[], entries: Entries): GenericSchema {
  return part(Object.fromEntries(names.map((name) => [name, part(entries)])))
}

/** The settings that are flags of the command line. */
export const RESEARCH_FLAGS = settingsSchema({
  strategy: optional(
    inFiles(oneOf(['auto', ...STRATEGY_NAMES]), { flag: '--strategy <name>', byDefault: 'auto' }),
    'How widely to search',
  ),
  iterationsMax: optional(
    inFiles(wholeNumber(1), { flag: '-n, --max-iterations <count>', byDefault: "the strategy's, 2 to 4" }),
    'How many iterations the run may take',
  ),
})

/** The settings of the research loop. Defaults are in the rules. */
const RESEARCH_LOOP = settingsSchema({
  ...RESEARCH_FLAGS.entries,
  goal: needed(notBlank('a question, so say what you want to know')),
  checkpoint: optional(ANY_MAP),
  past: optional(LIST),
  iterationsCap: FROM_1,
  iterationTimeoutMs: FROM_1,
  agentRetriesMax: optional(COUNT),
  iterationsMin: FROM_1,
  agentsMax: FROM_1,
  emptyIterationsMax: FROM_1,
  gapAttemptsMax: FROM_1,
  gapsPerAgentMax: FROM_1,
  cohort: optional(TEXTS),
  criteria: part({
    ...Object.fromEntries(
      ['coverage', 'confidence', 'questions'].map((name) => [name, part({ enabled: SWITCH, threshold: SHARE })]),
    ),
    conflicts: part({ enabled: SWITCH, threshold: optional(COUNT) }),
  }),
  early: part({ enabled: SWITCH, coverageMin: SHARE, confidenceMin: SHARE }),
  partial: part({ enabled: SWITCH, criteriaShareMin: SHARE, needsCriticalQuestions: SWITCH }),
  gaps: each(GAP_KINDS, {
    enabled: SWITCH,
    priority: optional(eitherOf('auto, or a number from 1 to 3', oneOf(['auto']), wholeNumberBetween(1, 3))),
    threshold: SHARE,
    individualThreshold: SHARE,
    keywords: optional(TEXTS),
  }),
  specialists: each(Object.keys(DEFAULT_RESEARCH_RULES.specialists), {
    role: optional(TEXT),
    model: optional(oneOf(['fast', 'deep', 'auto'])),
    modelNames: MODEL_NAMES,
    modifier: optional(WORDS),
    timeoutMs: FROM_1,
  }),
  roles: optional(
    mapOf(
      'a map of roles',
      settingsSchema({
        name: optional(TEXT),
        agent: optional(TEXT),
        subagentType: optional(TEXT),
        description: optional(WORDS),
        model: MODEL,
        modelNames: MODEL_NAMES,
        timeoutMs: FROM_1,
        keywords: optional(TEXTS),
        isAlwaysIncluded: SWITCH,
      }),
    ),
  ),
  strategies: each(STRATEGY_NAMES, {
    roles: optional(TEXTS),
    iterationsMax: FROM_1,
    filesMax: FROM_1,
    words: optional(TEXTS),
    relevantFilesMax: FROM_1,
  }),
  confidence: part({
    ...Object.fromEntries(Object.keys(DEFAULT_RESEARCH_RULES.confidence).map((name) => [name, SHARE])),
    ageIterationsFree: optional(COUNT),
    snippetLengthMin: optional(COUNT),
  }),
  conflicts: part({ cosineMax: SHARE, judge: SWITCH, nominationSimilarityMin: SHARE, sameSimilarityMin: SHARE }),
  questionsBy: optional(oneOf(['rules', 'agent'])),
  coverageBy: optional(oneOf(['verified', 'named'])),
  answerConfidenceMin: SHARE,
} satisfies Readonly<Record<keyof ResearchSettings, GenericSchema>>)

/** How often a specialist was sent for a kind of gap, and how often that closed it. */
export interface Effectiveness {
  readonly kind: GapKind
  readonly role: string
  readonly tried: number
  readonly closed: number
}
