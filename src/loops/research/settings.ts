import { DEFAULT_RESEARCH_RULES, type GapKind, type ResearchRules, type RoleRule, type SpecialistRule } from './rules.ts'
import { didYouMean, nearestName } from '../../core/names.ts'
import { ANYTHING, settingsSchema, wholeNumber } from '../../schema/kinds.ts'
import { readOptions, requireKind } from '../../schema/read-options.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { SeedCheckpoint } from './seed-checkpoint.ts'
import { isRecorded, type PartSpec } from '../../core/run-config.ts'

/** What is asked, and whatever of the rules differs from the default. Lists replace, everything else is filled in. */
export type ResearchSettings = ResearchWish & ResearchOverrides

export interface ResearchWish {
  /** The question, in the user's words. */
  readonly goal: string
  /** A checkpoint in the seed's shape to go on from. Default: from the beginning. */
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
export type WholeResearchSettings = ResearchWish & ResearchRules

/** Fills in the defaults and checks the whole. */
export function wholeResearchSettings(settings: ResearchSettings): WholeResearchSettings {
  if (!isRecorded(settings)) requireKnownKeys(settings as unknown as JsonObject)
  const { goal, checkpoint, past, ...overrides } = settings
  if (typeof goal !== 'string' || goal.trim() === '')
    throw new PawlError('loop.research.goal', 'Research needs a question: say what you want to know.')
  const rules = filledIn(DEFAULT_RESEARCH_RULES as unknown as JsonObject, overrides as unknown as JsonObject)
  const whole = { goal, ...(checkpoint ? { checkpoint } : {}), ...(past ? { past } : {}), ...(rules as unknown as ResearchRules) }
  const counts = ['iterationsMin', 'agentsMax', 'emptyIterationsMax', 'gapAttemptsMax', 'gapsPerAgentMax'] as const
  for (const setting of counts) requireKind('researchLoop', setting, whole[setting], wholeNumber(1))
  for (const setting of ['iterationsMax', 'iterationsCap', 'iterationTimeoutMs'] as const)
    if (whole[setting] !== undefined) requireKind('researchLoop', setting, whole[setting], wholeNumber(1))
  requireShares(whole)
  requireRoles(whole)
  return whole
}

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

function requireShares({ criteria, early, confidence, answerConfidenceMin }: ResearchRules): void {
  const { snippetLengthMin: _count, ageIterationsFree: _iterations, ...anchors } = confidence
  const shares: Readonly<Record<string, number>> = {
    'criteria.coverage.threshold': criteria.coverage.threshold,
    'criteria.confidence.threshold': criteria.confidence.threshold,
    'criteria.questions.threshold': criteria.questions.threshold,
    'early.coverageMin': early.coverageMin,
    'early.confidenceMin': early.confidenceMin,
    answerConfidenceMin,
    ...Object.fromEntries(Object.entries(anchors).map(([name, value]) => [`confidence.${name}`, value])),
  }
  for (const [setting, value] of Object.entries(shares)) {
    if (typeof value === 'number' && value >= 0 && value <= 1) continue
    throw new PawlError('setting.invalid', `researchLoop: ${setting} must be a number from 0 to 1, not ${String(value)}.`, {
      value,
    })
  }
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

/** Throws for a setting that does not exist: `coverag` would say nothing, and be believed. */
function requireKnownKeys(overrides: JsonObject): void {
  readOptions('researchLoop', OPTIONS, overrides)
  for (const [name, value] of Object.entries(overrides)) {
    const known = RULES[name]
    if (!isJsonObject(known) || !isJsonObject(value)) continue
    const isNamed = Object.values(known).every(isJsonObject)
    if (name !== 'roles') requireIn(value, Object.keys(known).concat(name === 'conflicts' ? ['cosineMax'] : []), `${name}.`)
    if (!isNamed) continue
    const fields = [...new Set(Object.values(known).flatMap((each) => Object.keys(each as JsonObject))), ...(MORE[name] ?? [])]
    for (const [key, entry] of Object.entries(value)) if (isJsonObject(entry)) requireIn(entry, fields, `${name}.${key}.`)
  }
}

const RULES = DEFAULT_RESEARCH_RULES as unknown as JsonObject

/** Settings without a default. */
const OPTIONAL = [
  'iterationsMax',
  'iterationsCap',
  'iterationTimeoutMs',
  'agentRetriesMax',
  'cohort',
  'goal',
  'checkpoint',
  'past',
]

/** Their values are looked at one by one. */
const OPTIONS = settingsSchema(Object.fromEntries([...Object.keys(RULES), ...OPTIONAL].map((name) => [name, ANYTHING])))

const MORE: Readonly<Record<string, readonly string[]>> = { specialists: ['timeoutMs'], roles: ['timeoutMs'] }

function requireIn(given: JsonObject, known: readonly string[], place: string): void {
  const wrong = Object.keys(given).find((key) => !known.includes(key))
  if (wrong === undefined) return
  throw new PawlError('setting.unknown', `researchLoop: there is no setting ${place}${wrong}${didYouMean(wrong, known)}`, {
    value: wrong,
  })
}

/** How often a specialist was sent for a kind of gap, and how often that closed it. */
export interface Effectiveness {
  readonly kind: GapKind
  readonly role: string
  readonly tried: number
  readonly closed: number
}
