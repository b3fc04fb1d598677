import type { Json, JsonObject } from '../../../core/json.ts'
import { didYouMean } from '../../../core/nearest-name.ts'
import type { ResearchOverrides } from '../settings.ts'
import { cohortChoice, strategyChoice } from './choice-rules.ts'
import { CONFIG_SHAPE, isSetting, type Setting, type Shape } from './config-shape.ts'
import { roleName, wholeRole } from './role-name.ts'
import { specialistsFrom } from './specialists-from.ts'
import { readValue } from './value-of.ts'

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

/** Reads the settings of one or more files that were put together. What is wrong is told, what is right is taken. */
export function readConfig(value: JsonObject, { isStrict = true }: ReadConfigOptions = {}): ReadConfig {
  const reading: Reading = { rules: {}, unused: [], problems: [], isStrict }
  readMap(reading, value, CONFIG_SHAPE, [], '')
  const { checkpoints, actions = {}, named = {}, roles, ...rules } = reading.rules as Record<string, JsonObject>
  const { specialists, unknown } = specialistsFrom(named as Named, actions as Readonly<Record<string, string>>)
  for (const name of unknown) {
    const path = ['adaptive_strategies', 'strategies', name]
    if (isStrict) reading.problems.push({ path, message: `"${name}" is sent for nothing: name a kind of gap`, isKey: true })
    else reading.unused.push(path.join('.'))
  }
  const directory = checkpoints?.['directory']
  const retention = checkpoints?.['retentionMs']
  return {
    overrides: {
      ...rules,
      ...(roles === undefined ? {} : { roles: wholeRoles(roles) }),
      ...(Object.keys(specialists).length === 0 ? {} : { specialists }),
    } as ResearchOverrides,
    ...(typeof directory === 'string' ? { checkpointDirectory: directory } : {}),
    ...(typeof retention === 'number' ? { checkpointRetentionMs: retention } : {}),
    unused: reading.unused,
    problems: reading.problems,
  }
}

function wholeRoles(roles: JsonObject): ResearchOverrides['roles'] {
  return Object.fromEntries(Object.entries(roles).map(([role, given]) => [role, wholeRole(role, given as object)]))
}

type Named = Parameters<typeof specialistsFrom>[0]

interface Reading {
  readonly rules: Record<string, Json>
  readonly unused: string[]
  readonly problems: ConfigTrouble[]
  readonly isStrict: boolean
}

function readMap(reading: Reading, value: JsonObject, shape: Shape, path: readonly string[], name: string): void {
  for (const [key, inside] of Object.entries(value)) {
    const here = [...path, key]
    const entry = Object.hasOwn(shape, key) && key !== '*' ? shape[key] : shape['*']
    if (entry === undefined) unknownKey(reading, here, Object.keys(shape))
    else if (isSetting(entry)) take(reading, entry, inside ?? null, here, name)
    else if (isMap(inside)) readMap(reading, inside, entry, here, isNaming(shape, key) ? key : name)
    else if (inside !== null) reading.problems.push({ path: here, message: `${key} must be a map of settings` })
  }
}

/** Under these keys the names are the user's, or those of the kinds of gaps: settings below are about them. */
function isNaming(shape: Shape, key: string): boolean {
  return shape['*'] !== undefined || NAMED_BY_KEY.has(key)
}

const NAMED_BY_KEY = new Set(Object.keys(((CONFIG_SHAPE['gap_detection'] as Shape)['gap_types'] as Shape | undefined) ?? {}))

function unknownKey(reading: Reading, path: readonly string[], known: readonly string[]): void {
  const key = path.at(-1) ?? ''
  if (!reading.isStrict) return void reading.unused.push(path.join('.'))
  const message = `there is no key "${key}" here${didYouMean(key, known)}`
  reading.problems.push({ path, message, isKey: true })
}

function take(reading: Reading, { kind, to }: Setting, given: Json, path: readonly string[], name: string): void {
  if (to === undefined || kind === 'any') return void reading.unused.push(path.join('.'))
  if (kind === 'choice') return takeChoice(reading, to[0] === 'roles' ? 'roles' : 'strategies', given, path)
  const read = readValue(kind, given)
  if (read.status === 'wrong') {
    reading.problems.push({ path, message: `${path.at(-1)} must be ${read.form}` })
    return
  }
  const whom = to[0] === 'roles' ? roleName(name) : name
  const value = to.at(-1) === 'roles' ? (read.value as readonly string[]).map(roleName) : read.value
  put(
    reading.rules,
    to.map((part) => (part === '*' ? whom : part)),
    value,
  )
}

/** Rules of choice add to what the templates and the roles say; in a form that is not known they have no effect. */
function takeChoice(reading: Reading, into: 'strategies' | 'roles', given: Json, path: readonly string[]): void {
  const { rules, isRead } = into === 'roles' ? cohortChoice(given) : strategyChoice(given)
  if (!isRead) return void reading.unused.push(path.join('.'))
  for (const [name, fields] of Object.entries(rules))
    for (const [field, value] of Object.entries(fields as JsonObject)) put(reading.rules, [into, name, field], value ?? null)
}

function put(rules: Record<string, Json>, [first = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) rules[first] = value
  else {
    const inner = { ...(rules[first] as JsonObject | undefined) } as Record<string, Json>
    put(inner, rest, value)
    rules[first] = inner
  }
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
